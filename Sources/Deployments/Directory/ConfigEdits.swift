import Compose
package import OrderedCollections
import Runtimes
package import Specs
import SystemCrypto
package import YAML

/// Lines of config.env that somebody changed after `so` wrote them.
package struct ConfigEdits: Sendable {
    /// The changed and added values, each with its line.
    package var values: OrderedDictionary<String, Located<String>> = [:]
    package var warnings: [Diagnostic] = []
}

extension DeploymentDirectory {
    /// Compares config.env with what was last written of it.
    ///
    /// - Throws: `InvalidInput` where a changed line cannot be read: it must not be without effect in silence.
    package func configEdits() throws -> ConfigEdits {
        var edits = ConfigEdits()
        let manifest = try manifest()
        guard let current = try Files.readIfPresent(configFile) else { return edits }
        guard let text = manifest.configEnv else {
            edits.warnings = unrecorded(current, manifest)
            return edits
        }
        let written = Array(text.utf8)
        guard current != written else { return edits }
        var found = Diagnostics()
        var ignored = Diagnostics()
        let old = environment(written, &ignored)
        let new = environment(ignored.hasErrors ? blanking(text, in: current) : current, &found)
        try found.throwIfErrors()
        edits.values = new.filter { old[$0.key]?.value != $0.value.value }
        for name in old.keys where new[name] == nil && !ignored.hasErrors {
            found.warning(
                "config.env: the line of \(name) is gone, and its value still counts", at: Mark(file: configFile),
                hint: "remove it from spec.yml, or write `\(name)=` for an empty value")
        }
        edits.warnings = found.list
        return edits
    }

    /// Whether two texts of config.env give the same variables: quoting and comments make no difference.
    func isSameConfig(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var diagnostics = Diagnostics()
        let (first, second) = (environment(one, &diagnostics), environment(other, &diagnostics))
        return !diagnostics.hasErrors && first.mapValues(\.value) == second.mapValues(\.value)
    }

    private func environment(
        _ bytes: [UInt8], _ diagnostics: inout Diagnostics
    ) -> OrderedDictionary<String, Located<String>> {
        readEnvironmentFile(
            configFile, scope: VariableScope(), tree: FileTree.memory([configFile: bytes]), diagnostics: &diagnostics)
    }

    /// The text with the lines empty that stand in both: values that only a shell reads back are none of compose's.
    private func blanking(_ written: String, in current: [UInt8]) -> [UInt8] {
        let known = Set(written.split(separator: "\n"))
        let lines = String(decoding: current, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.map { known.contains($0) ? "" : $0 }.joined(separator: "\n").utf8)
    }

    /// A deployment of an older `so`: what it wrote is known by its digest only.
    private func unrecorded(_ current: [UInt8], _ manifest: Manifest) -> [Diagnostic] {
        guard let digest = manifest.files["config.env"], digest != sha256Hex(current) else { return [] }
        var diagnostics = Diagnostics()
        diagnostics.warning(
            "config.env was changed by hand, which has no effect in a deployment that an older so wrote",
            at: Mark(file: configFile),
            hint:
                "write the changes under `config` of spec.yml; after `so deploy create --update` config.env can be edited too"
        )
        return diagnostics.list
    }
}
