/// Who is told of every program before it starts, in the tasks below the one that says so: `so --debug`.
package struct CommandObserver: Sendable {
    // A type of its own, not a closure: the optimizer of Swift 6.3 loses the type of an optional closure, and the release
    // build crashed in `withValue`.
    @TaskLocal package static var current: CommandObserver?

    private let body: @Sendable (Command) -> Void

    package init(_ body: @escaping @Sendable (Command) -> Void) {
        self.body = body
    }

    package func willRun(_ command: Command) { body(command) }
}
