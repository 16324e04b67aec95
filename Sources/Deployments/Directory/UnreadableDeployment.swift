import Compose
import OrderedCollections
import Rendering
package import Runtimes
import Specs
import YAML

extension DeploymentDirectory {
    /// What is known of a deployment whose files cannot be read any more: who it is. What runs is known by its labels.
    ///
    /// The directories that it made are among it only where spec.yml tells which paths are the operator's.
    package func unreadableModel(homeDirectory: String?) -> DeploymentModel {
        let spec = specAlone
        var model = DeploymentModel(
            id: identity.deploymentID, namespace: writtenNamespace ?? Names.label("so-\(identity.stackName)"),
            stackName: identity.stackName, owner: root, stateDirectory: stateDirectory, secretsFile: secretsFile,
            rendered: RenderedDeployment())
        model.isOriginal = isOriginal
        model.isProject = runsProject
        if let spec, let made = try? madeDirectories() {
            model.dataDirectory = dataDirectory
            model.operatorPaths = spec.operatorPaths(homeDirectory: homeDirectory)
            model.madeDirectories = made
        }
        return model
    }

    private var specAlone: Spec? {
        guard let bytes = try? Files.read(specFile) else { return nil }
        var diagnostics = Diagnostics()
        let spec = parseSpec(bytes, file: specFile, directory: root, diagnostics: &diagnostics)
        return diagnostics.list.contains { $0.severity == .error } ? nil : spec
    }

    /// The namespace, if the spec can be read that far.
    private var writtenNamespace: String? {
        guard let bytes = try? Files.read(specFile), let spec = try? loadYAMLDocument(bytes, file: specFile) else {
            return nil
        }
        return spec.mapping?["namespace"]?.text
    }
}

extension Spec {
    /// The paths that the operator gave to volumes by hand.
    func operatorPaths(homeDirectory: String?) -> Set<String> {
        let written = volumes.values.compactMap(\.value)
        return Set(
            written.filter { $0.hasPrefix("/") || $0.hasPrefix("~") }.map {
                Files.canonical(path($0, homeDirectory: homeDirectory))
            })
    }
}
