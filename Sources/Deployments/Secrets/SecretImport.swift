/// What an import of secrets may change.
struct SecretImport {
    /// The names that the deployment declares.
    let known: Set<String>
    /// The values that exist.
    let stored: [String: String]

    /// The names whose values are to be written, in order.
    ///
    /// - Throws: `missing` for names that nothing declares, `notPermitted` for values that exist and are others.
    func changes(_ given: [String: String], replaces: Bool) throws(DeploymentError) -> [String] {
        let unknown = given.keys.filter { !known.contains($0) }.sorted()
        guard unknown.isEmpty else {
            throw DeploymentError(
                .missing, "no generated secret named \(unknown.joined(separator: ", ")); nothing was imported",
                hint: known.isEmpty
                    ? "declare it in the spec's config: NAME: $generate:hex:16$"
                    : "known: \(known.sorted().joined(separator: ", "))")
        }
        let empty = given.filter { $0.value.isEmpty }.keys.sorted()
        guard empty.isEmpty else {
            throw DeploymentError(
                .missing, "no value for \(empty.joined(separator: ", ")); nothing was imported",
                hint: "a secret is never empty")
        }
        let changed = given.keys.filter { stored[$0] != given[$0] }.sorted()
        let existing = changed.filter { stored[$0] != nil }
        guard existing.isEmpty || replaces else {
            throw DeploymentError(
                .notPermitted,
                "\(existing.joined(separator: ", ")) has a value already, and data may depend on it; nothing was imported",
                hint: "`--replace` replaces it")
        }
        return changed
    }
}
