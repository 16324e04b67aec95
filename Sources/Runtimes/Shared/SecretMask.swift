/// Replaces secret values by `***` in text that others wrote.
struct SecretMask: Sendable {
    /// Short ones would hide half of a text and are not worth hiding.
    private let values: [[UInt8]]

    init(_ values: [String]) {
        self.values = values.map { Array($0.utf8) }.filter { $0.count >= 6 }.sorted { $0.count > $1.count }
    }

    /// By bytes: what follows a value must not hide it, as a combining mark would from `String`.
    func callAsFunction(_ text: String) -> String {
        guard !values.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let masked = values.reduce(bytes) { $1.count <= $0.count ? $0.replacing($1, with: Array("***".utf8)) : $0 }
        return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
    }
}
