import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// What every stage reads: the project, and what it is rendered for.
///
/// A class, since a project and its spec have hundreds of fields and every stage has them; nothing in it changes.
final class RenderContext {
    let layered: LayeredProject
    let spec: Spec
    let options: RenderOptions
    let abilities: TargetAbilities
    let tree: FileTree
    let deploymentLabels: StringMap
    /// Keys of the spec's `secrets`, which the pre-existing Secrets bring.
    let keysOfSpecSecrets: Set<String>
    /// What services mount for writing of the host; absolute.
    let writtenBinds: Set<String>

    init(_ layered: LayeredProject, options: RenderOptions, tree: FileTree) {
        self.layered = layered
        spec = layered.spec
        self.options = options
        abilities = options.target.abilities
        self.tree = tree
        deploymentLabels = [
            Keys.instance: Names.labelValue(options.deploymentID), Keys.partOf: Names.labelValue(options.stackName),
            Keys.managedBy: "so",
        ]
        keysOfSpecSecrets = Set(layered.spec.secrets.values.flatMap(\.value))
        writtenBinds = layered.writtenBinds
    }
}
