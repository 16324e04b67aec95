/// A deployment that a runtime has something of, as the labels of its objects tell.
package struct KeptDeployment: Hashable, Sendable {
    package var id: String
    /// Whose it is, in the words of who made it.
    package var owner: String
    /// What holds its data, by the names that the runtime has for it.
    package var volumes: [String]

    package init(id: String, owner: String, volumes: [String] = []) {
        self.id = id
        self.owner = owner
        self.volumes = volumes
    }
}
