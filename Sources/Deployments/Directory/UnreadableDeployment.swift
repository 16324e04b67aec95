import Compose
import Rendering
package import Runtimes
import YAML

extension DeploymentDirectory {
    /// What a stop needs where the deployment's files cannot be read any more: who it is. What runs is known by its labels.
    package var unreadableModel: DeploymentModel {
        var model = DeploymentModel(
            id: identity.deploymentID, namespace: writtenNamespace ?? Names.label("so-\(identity.stackName)"),
            stackName: identity.stackName, owner: root, stateDirectory: stateDirectory, secretsFile: secretsFile,
            rendered: RenderedDeployment())
        model.isOriginal = isOriginal
        model.isProject = runsProject
        return model
    }

    /// The namespace, if the spec can be read that far.
    private var writtenNamespace: String? {
        guard let bytes = try? Files.read(specFile), let spec = try? loadYAMLDocument(bytes, file: specFile) else {
            return nil
        }
        return spec.mapping?["namespace"]?.text
    }
}
