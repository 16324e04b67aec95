/// Colours for a terminal; without them every function returns its text as it is.
struct Style {
    var enabled: Bool

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func red(_ text: String) -> String { wrap(text, "31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func yellow(_ text: String) -> String { wrap(text, "33") }

    /// One of the colours that tell services apart, by the service's place in the list.
    func palette(_ text: String, index: Int) -> String {
        wrap(text, ["36", "33", "32", "35", "34", "96", "93", "92", "95", "94"][index % 10])
    }

    private func wrap(_ text: String, _ code: String) -> String {
        enabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
