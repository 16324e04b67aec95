package import OrderedCollections

/// A real credential of a provider. It goes to the egress pod's secret alone; no description shows its value.
package struct Credential: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where it came from, as `so auth status` names it.
    package enum Source: Hashable, Sendable, CustomStringConvertible {
        case environment(variable: String)
        case stored(path: String)
        case vault(place: VaultPlace, variable: String)

        package var description: String {
            switch self {
            case .environment(let variable): "environment: \(variable)"
            case .stored(let path): "stored: \(path)"
            case .vault(let place, let variable): "vault: \(place)/\(variable)"
            }
        }
    }

    package var provider: String
    package var source: Source
    /// As they go upstream.
    package var headers: OrderedDictionary<String, String>

    package var description: String { "credential of \(provider) (\(source))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
