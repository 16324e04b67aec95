import FoundationEssentials
import YAML

/// One secret as it may be shown.
package struct SecretListing: Hashable, Sendable, Encodable {
    package enum Source: String, Hashable, Sendable, Encodable {
        case generated
        case credentialsFile = "credentials file"
        /// In the file, but no longer declared: kept, since data may still depend on it.
        case undeclared
    }

    package var name: String
    package var source: Source
    /// Whether it has a value yet; generated ones get theirs at the first start.
    package var exists: Bool
}

/// The generated secrets of one deployment in a file of mode 0600: made once, never changed but by ``rotate(_:generators:)``.
package struct SecretStore: Sendable {
    package var file: String

    package init(file: String) {
        self.file = file
    }

    /// The values by name; empty where there is no file yet.
    package func load() throws(DeploymentError) -> [String: String] {
        guard let bytes = try PrivateFile.read(file) else { return [:] }
        do {
            let document = try loadYAMLDocument(bytes, file: file)
            guard let mapping = document.mapping else { throw unreadable("it holds no mapping of names to values") }
            var values: [String: String] = [:]
            for entry in mapping.entries { values[entry.key] = entry.value.text }
            return values
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw unreadable("\(error)")
        }
    }

    private func unreadable(_ cause: String) -> DeploymentError {
        DeploymentError(
            .cannotCreate, "the secrets in \(file) cannot be read", cause: cause,
            hint: "restore the file from a backup; so does not replace it, since data may depend on its values")
    }

    /// Makes the values that are missing, writes them down before anybody uses them, and returns all.
    package func ensure(_ generators: [String: DeploymentModel.SecretMaker]) throws(DeploymentError) -> [String: String]
    {
        var values = try load()
        let missing = generators.filter { values[$0.key] == nil }
        guard !missing.isEmpty else { return values }
        for (name, make) in missing.sorted(by: { $0.key < $1.key }) { values[name] = try value(name, make) }
        try write(values)
        return values
    }

    /// Replaces one value.
    package func rotate(
        _ name: String, generators: [String: DeploymentModel.SecretMaker]
    ) throws(DeploymentError) {
        guard let make = generators[name] else {
            let known = generators.keys.sorted().joined(separator: ", ")
            throw DeploymentError(
                .missing, "no generated secret named \(name)",
                hint: known.isEmpty ? "none exist" : "known: \(known)")
        }
        var values = try load()
        values[name] = try value(name, make)
        try write(values)
    }

    /// Writes values that come from elsewhere, all or none, and returns the names of those that are new.
    package func take(
        _ given: [String: String], generators: [String: DeploymentModel.SecretMaker], replaces: Bool
    ) throws(DeploymentError) -> [String] {
        var values = try load()
        let changed = try SecretImport(known: Set(generators.keys), stored: values).changes(given, replaces: replaces)
        guard !changed.isEmpty else { return [] }
        for name in changed { values[name] = given[name] }
        try write(values)
        return changed
    }

    package func listing(
        generators: [String: DeploymentModel.SecretMaker], credentials: [String: String]
    ) throws(DeploymentError) -> [SecretListing] {
        let values = try load()
        let names = Set(generators.keys).union(values.keys).union(credentials.keys)
        return names.sorted().map { name in
            let source: SecretListing.Source =
                generators[name] != nil ? .generated : credentials[name] != nil ? .credentialsFile : .undeclared
            return SecretListing(name: name, source: source, exists: values[name] != nil || credentials[name] != nil)
        }
    }

    /// Deletes the file with all values.
    package func delete() throws(DeploymentError) { try PrivateFile.remove(file) }

    private func value(_ name: String, _ make: DeploymentModel.SecretMaker) throws(DeploymentError) -> String {
        do {
            return try make()
        } catch {
            throw DeploymentError(.cannotCreate, "the secret \(name) could not be generated", cause: "\(error)")
        }
    }

    private func write(_ values: [String: String]) throws(DeploymentError) {
        let pairs = values.sorted { $0.key < $1.key }.map { ($0.key, Node.string($0.value)) }
        let header = "# Generated once by so. Data depends on these values: keep this file, and keep it private.\n"
        try PrivateFile.write(Array((header + emitYAML([.map(pairs)])).utf8), to: file)
    }
}
