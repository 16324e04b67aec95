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
        try refuseUnusable(given)
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

    /// A value must fit into one variable of a process, and all of them into one Secret.
    private func refuseUnusable(_ given: [String: String]) throws(DeploymentError) {
        for (name, value) in given.sorted(by: { $0.key < $1.key }) {
            if value.utf8.contains(0) {
                throw DeploymentError(
                    .cannotCreate, "the value of \(name) holds a NUL byte, which no variable can; nothing was imported",
                    hint: "encode it, for example with base64")
            }
            let size = name.utf8.count + 1 + value.utf8.count
            guard size > Self.longestVariable else { continue }
            throw DeploymentError(
                .cannotCreate,
                "the value of \(name) has \(value.utf8.count) bytes, and a variable holds at most \(Self.longestVariable >> 10) KiB; "
                    + "nothing was imported",
                hint: "give it to the service as a file: a compose secret with `file:`")
        }
        let all = stored.merging(given) { $1 }.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard all > Self.largestSecret else { return }
        throw DeploymentError(
            .cannotCreate,
            "all secrets together have \(all) bytes, and a Secret holds at most 1 MiB; nothing was imported",
            hint: "give large values to services as files: compose secrets with `file:`")
    }

    /// What Linux takes for one string of an environment (MAX_ARG_STRLEN), its NUL aside.
    private static let longestVariable = (128 << 10) - 1
    /// https://kubernetes.io/docs/concepts/configuration/secret/#restriction-data-size
    private static let largestSecret = 1 << 20
}
