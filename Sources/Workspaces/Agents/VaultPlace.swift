import Specs
import YAML

/// Where a Vault keeps a user's credentials: one secret for each variable of a provider, its text under the key `value`.
package struct VaultPlace: Hashable, Sendable, CustomStringConvertible {
    package var address: String
    package var mount = "secret"
    package var path = "so"
    package var tokenFile: String?
    package var roleID: String?
    package var secretIDFile: String?

    package var description: String { "\(address) \(mount)/\(path)" }

    init?(_ node: Node) {
        guard let address = node.text("address") else { return nil }
        self.address = address
        mount = node.text("mount") ?? mount
        path = node.text("path") ?? path
        (tokenFile, roleID) = (node.text("token-file"), node.text("role-id"))
        secretIDFile = node.text("secret-id-file")
    }
}

/// What a Vault had of them when it was asked.
package struct VaultValues: Sendable, CustomStringConvertible, CustomReflectable {
    package var place: VaultPlace
    /// By variable.
    package var values: [String: String]

    package init(place: VaultPlace, values: [String: String]) {
        self.place = place
        self.values = values
    }

    package var description: String { "what \(place) has" }
    package var customMirror: Mirror { Mirror(self, children: ["place": place]) }
}
