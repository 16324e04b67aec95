/// Who is told of every program before it starts, in the tasks below the one that says so: `so --debug`.
package enum CommandObserver {
    @TaskLocal package static var current: (@Sendable (Command) -> Void)?
}
