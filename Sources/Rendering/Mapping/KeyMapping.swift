/// What `so` does with one key of a compose file: the table that the renderer, `--explain-mapping` and the README share.
package struct KeyMapping: Hashable, Sendable {
    /// What becomes of a key.
    package enum Outcome: Hashable, Sendable {
        /// It is rendered; the text says as what.
        case mapped(String)
        /// It has done its work while the files were loaded or images were built.
        case loaded(String)
        /// It means nothing to `so` and nothing is lost: listed, never a warning.
        case ignored(String)
        /// It has no equivalent: a warning, under `--strict` an error. The text says the consequence.
        case reported(String)
        /// It cannot be honoured: an error that says why, and what to write instead.
        case refused(reason: String, hint: String? = nil)

        /// The word for the outcome and what it says.
        package var summary: (word: String, text: String) {
            switch self {
            case .mapped(let text): ("mapped", text)
            case .loaded(let text): ("loaded", text)
            case .ignored(let text): ("ignored", text)
            case .reported(let text): ("reported", text)
            case .refused(let reason, let hint): ("refused", hint.map { "\(reason): \($0)" } ?? reason)
            }
        }
    }

    /// Where a key stands.
    package enum Place: String, Hashable, Sendable, CaseIterable {
        case service
        case network
        case volume
        case config
        case secret
        case top
    }

    package var place: Place
    /// The key, dotted for nested ones; `*` stands for a name that the author chose, `[]` for an item of a list. A key
    /// without a row of its own follows the row of the key that it is nested in.
    package var key: String
    package var outcome: Outcome

    /// Every row, in the order of places and keys.
    package static let all: [KeyMapping] =
        service + kompose + build + deploy + resourceLimits + networking + storage + topLevel

    private static let index: [Place: [String: KeyMapping]] = {
        var index: [Place: [String: KeyMapping]] = [:]
        for row in all { index[row.place, default: [:]][row.key] = row }
        return index
    }()

    /// The row of a key, or of the nearest key that it is nested in; nil for a key that the table does not know.
    package static func row(_ place: Place, _ key: String) -> KeyMapping? {
        guard let rows = index[place] else { return nil }
        if let exact = rows[key] { return exact }
        if key.hasPrefix("x-") { return rows["x-*"] }
        var parts = key.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 2 {
            for wildcard in ["*", "[]"] {
                if let row = rows[([parts[0], Substring(wildcard)] + parts[2...]).joined(separator: ".")] {
                    return row
                }
            }
        }
        while parts.count > 1 {
            parts.removeLast()
            if let row = rows[parts.joined(separator: ".")] { return row }
        }
        return nil
    }
}

extension KeyMapping {
    /// The table as a Markdown page's tables, one for each place: what the README's compose page consists of.
    package static var markdown: String {
        Place.allCases.map { place in
            let rows = all.filter { $0.place == place }.sorted { $0.key < $1.key }.map { row in
                let (word, text) = row.outcome.summary
                return "| `\(row.key)` | \(word) | \(text.split(separator: "|").joined(separator: "\\|")) |"
            }
            return (["### \(place.title)", "", "| Key | | What becomes of it |", "|---|---|---|"] + rows)
                .joined(separator: "\n")
        }.joined(separator: "\n\n") + "\n"
    }
}

extension KeyMapping.Place {
    fileprivate var title: String {
        switch self {
        case .service: "Keys of a service"
        case .network: "Keys of a network"
        case .volume: "Keys of a volume"
        case .config: "Keys of a config"
        case .secret: "Keys of a secret"
        case .top: "Top level"
        }
    }
}
