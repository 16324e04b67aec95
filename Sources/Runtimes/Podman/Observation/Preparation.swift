import Compose
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

/// What a deployment comes to on podman, before podman's state is looked at.
struct Preparation: Sendable {
    var translation: PodTranslator.Result
    /// Keys the fingerprints.
    var key: [UInt8]
    /// Whether all that it is made of was written down already: making it again would come to the same.
    var isCommitted: Bool
    /// Every secret value, so that none is shown by accident.
    var mask: SecretMask

    /// - Parameter commit: whether missing secrets are made and written down; otherwise unknown ones count as changed.
    static func make(
        _ model: DeploymentModel, podman: Podman, commit: Bool
    ) async throws(DeploymentError) -> Preparation {
        let key = try fingerprintKey(model, commit: commit)
        let values = try secretValues(model, commit: commit)
        var diagnostics = Diagnostics()
        let secrets = resolve(model, values, &diagnostics)
        let references = PodReferences(model.rendered).secrets.subtracting(secrets.keys)
        var stored: [String] = []
        if !references.isEmpty || model.rendered.workloads.contains(where: { !$0.podman.externalFiles.isEmpty }) {
            do {
                stored = try await podman.secretNames()
            } catch {
                throw DeploymentError(podman: error)
            }
        }
        var translator = PodTranslator(model: model, secrets: secrets, storedSecrets: stored, key: key)
        translator.hasInitProgram = initPrograms.contains { Files.exists($0) }
        translator.findings = diagnostics
        let isComplete = try isComplete(model)
        return Preparation(
            translation: translator.translate(), key: key, isCommitted: commit || isComplete,
            mask: SecretMask(Array(values.values)))
    }

    /// Whether every secret has its value, and the fingerprints have their key.
    private static func isComplete(_ model: DeploymentModel) throws(DeploymentError) -> Bool {
        let stored = try SecretStore(file: model.secretsFile).load()
        let key = try storedKey(model)
        return key != nil && model.generators.keys.allSatisfy { stored[$0] != nil }
    }

    private static func secretValues(_ model: DeploymentModel, commit: Bool) throws(DeploymentError) -> [String: String]
    {
        let store = SecretStore(file: model.secretsFile)
        var values = commit ? try store.ensure(model.generators) : try store.load()
        if !commit {
            for name in model.generators.keys where values[name] == nil { values[name] = try randomText() }
        }
        return values.merging(model.credentials) { _, given in given }
    }

    private static func randomText() throws(DeploymentError) -> String {
        do { return try hex(randomBytes(16)) } catch {
            throw DeploymentError(.cannotCreate, "no random numbers", cause: "\(error)")
        }
    }

    private static func resolve(
        _ model: DeploymentModel, _ values: [String: String], _ diagnostics: inout Diagnostics
    ) -> [String: [String: [UInt8]]] {
        var secrets: [String: [String: [UInt8]]] = [:]
        for template in model.rendered.secrets {
            var content: [String: [UInt8]] = [:]
            for entry in template.entries {
                switch entry.value {
                case .bytes(let bytes): content[entry.key] = bytes
                case .registry: continue
                case .text(let text):
                    if let resolved = text.resolved({ values[$0] }) {
                        content[entry.key] = Array(resolved.utf8)
                    } else {
                        let unknown = text.secretNames.filter { values[$0] == nil }.joined(separator: ", ")
                        diagnostics.error(
                            "\(template.name): the secret \(unknown) has no value", at: nil,
                            hint: "declare it in the spec's config, or in a credentials file")
                    }
                }
            }
            secrets[template.name] = content
        }
        return secrets
    }

    private static func storedKey(_ model: DeploymentModel) throws(DeploymentError) -> [UInt8]? {
        try PrivateFile.read(model.stateDirectory + "/fingerprint-key").flatMap { $0.count == 32 ? $0 : nil }
    }

    /// A random key that never leaves the state directory: without it the label tells nothing of a weak secret.
    private static func fingerprintKey(_ model: DeploymentModel, commit: Bool) throws(DeploymentError) -> [UInt8] {
        let file = model.stateDirectory + "/fingerprint-key"
        if let key = try storedKey(model) { return key }
        do {
            let key = try randomBytes(32)
            guard commit else { return key }
            try Files.makeDirectory(model.stateDirectory, mode: 0o700, isExact: true)
            try PrivateFile.write(key, to: file)
            return key
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cannotCreate, "no random numbers", cause: "\(error)")
        }
    }
}

extension DeploymentError {
    /// A podman that did not do what it should.
    init(podman failure: CommandFailure) {
        switch failure.code {
        case .cancelled: self.init(.cancelled, "cancelled")
        case .programMissing:
            self.init(.unavailable, "podman is not installed", hint: "\(installationHint("podman")); then: so doctor")
        default:
            self.init(.unavailable, "podman failed", cause: failure.description, hint: "so doctor checks this host")
        }
    }
}

/// Where podman looks for it: https://github.com/containers/common/blob/main/docs/containers.conf.5.md (init_path, helper_binaries_dir)
private let initPrograms = [
    "/usr/libexec/podman", "/usr/local/libexec/podman", "/usr/lib/podman", "/usr/local/lib/podman", "/usr/bin",
]
.map { "\($0)/catatonit" }
