extension Configuration {
    /// The secret in a file that a key names.
    ///
    /// - Throws: `OrchestratorError` that says where the key is, and how to correct the file.
    func secret(_ path: String, _ key: String) throws(OrchestratorError) -> String {
        try SecretFile.read(path, key: place(key))
    }

    /// `orchestrator.yml:3:8: forge.token-file`
    func place(_ key: String) -> String { "\(places[key]): \(key)" }
}
