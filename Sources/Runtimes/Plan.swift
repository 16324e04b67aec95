/// What a start would do, decided before anything is done.
package struct Plan: Hashable, Sendable, Encodable, CustomStringConvertible {
    package enum Action: String, Hashable, Sendable, Encodable {
        case create
        /// The pod is removed and recreated.
        case replace
        /// It is changed where it stands.
        case update
        /// A pod that has stopped is started as it is.
        case start
        case remove
        case keep
    }

    package struct Item: Hashable, Sendable, Encodable {
        /// `pod`, `network`, `volume` or `secret`.
        package var kind: String
        package var name: String
        /// The workload that a pod belongs to.
        package var service: String?
        package var action: Action
        /// Why, for everything that is not kept.
        package var reason: String?
        /// Field by field, secrets masked; empty where that is not known.
        package var changes: [String] = []

        package init(kind: String, name: String, service: String? = nil, action: Action, reason: String? = nil) {
            self.kind = kind
            self.name = name
            self.service = service
            self.action = action
            self.reason = reason
        }
    }

    package var items: [Item]
    /// What could not be asked beforehand, so that a start may still refuse it; nil: nothing.
    package var unchecked: String?

    package init(items: [Item] = []) {
        self.items = items
    }

    /// Whether executing it changes nothing.
    package var isEmpty: Bool { items.allSatisfy { $0.action == .keep } }

    /// One line per item: `replace  pod  so-demo_web  the image changed`, and one for what is unchecked.
    package var description: String {
        let lines = items.map { item in
            [item.action.rawValue.padded(to: 7), item.kind.padded(to: 7), item.name, item.reason.map { "(\($0))" }]
                .compactMap { $0 }.joined(separator: "  ")
        }
        return (lines + (unchecked.map { ["note: \($0)"] } ?? [])).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
