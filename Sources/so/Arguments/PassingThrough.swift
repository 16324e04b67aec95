/// A command whose arguments hold another command: from there on, nothing is an option of `so`.
protocol PassingThrough {
    /// The options that take a value, with their dashes.
    static var valueOptions: Set<String> { get }
}

extension PassingThrough {
    /// Whether the argument after this option is its value. Of several letters behind one dash, the last one decides.
    static func takesValue(_ option: String) -> Bool {
        if option.hasPrefix("--") { return valueOptions.contains(option) }
        return option.last.map { valueOptions.contains("-\($0)") } ?? false
    }
}
