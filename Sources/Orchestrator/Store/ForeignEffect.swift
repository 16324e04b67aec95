/// A commit whose message does something to other issues than its task's own once it is merged: `closes #12`, or a quick action of GitLab.
package struct ForeignEffect: Hashable, Sendable, Codable {
    /// Abbreviated.
    package var commit: String
    /// What it names, as written: `#12`, `acme/other#3`, an address, `/merge`.
    package var names: [String]

    package init(commit: String, names: [String]) {
        self.commit = commit
        self.names = names
    }
}
