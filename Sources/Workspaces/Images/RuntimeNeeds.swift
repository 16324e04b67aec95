import Specs
import YAML

extension LoadedDefinition {
    /// Refuses what a runtime cannot do, and names what it takes without effect; each at its place.
    ///
    /// - Throws: `InvalidInput` for a `runtime-class` where there are none: a user who asks for a sandbox is not to go without it.
    func check(_ runtime: SessionRuntime) throws -> [Diagnostic] {
        var found = Diagnostics()
        if let name = definition.runtimeClass, !runtime.hasRuntimeClasses {
            found.error(
                "runtime-class: \(runtime.name) has no RuntimeClass \(name)",
                at: definition.origin(of: "runtime-class").mark,
                hint: "take it out, or run sessions on a cluster that has it: so settings set deploy-to k8s")
        }
        if definition.sharesCache {
            found.error(
                "cache: nothing is shared among sessions", at: definition.origin(of: "cache").mark,
                hint: "take it out; a language's downloads belong into its image or a registry-mirror")
        }
        try found.throwIfErrors()
        if definition.resources.disk != nil, !runtime.limitsVolumes {
            found.warning(
                "resources.disk: \(runtime.name) does not limit the size of volumes",
                at: definition.origin(of: "resources.disk").mark)
        }
        return found.list
    }
}
