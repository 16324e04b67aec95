package import Compose
package import OrderedCollections
package import YAML

/// A stack's compose files with the operator's spec layered over them: what Rendering renders.
///
/// ``project`` is the end of the chain: its services' environments, ports and all else hold what containers get.
package struct LayeredProject: Hashable, Sendable {
    /// What labels and the default namespace use.
    package var stackName: String
    package var spec: Spec
    /// The services of every pod.
    package var project: Project
    /// The stack's jobs, each a project of its own; their volumes and networks are those of ``project`` where the names are equal.
    package var jobs: OrderedDictionary<String, Project> = [:]
    package var components: [Component] = []
    /// Secrets to make once, by name; a value refers to them as ``Compose/TemplateText/Piece/secret(_:)``.
    package var generators: OrderedDictionary<String, SecretGenerator> = [:]
    /// Values that credentials-files hold, by name, likewise referred to; never to be printed or written.
    package var credentials: OrderedDictionary<String, String> = [:]
    /// Every variable of the spec, the credentials-files and the operator's environment, after the spec's own references.
    package var variables: OrderedDictionary<String, Variable> = [:]
    /// The same without the lines that were changed in config.env.
    package var specVariables: OrderedDictionary<String, Variable> = [:]

    package init(stackName: String, spec: Spec, project: Project) {
        self.stackName = stackName
        self.spec = spec
        self.project = project
    }

    /// The files and directories of the project that services mount for writing, those that are not there yet too; absolute.
    package var writtenBinds: Set<String> {
        let services = project.services.values + jobs.values.flatMap(\.services.values)
        let mounts = services.flatMap(\.volumes).filter { mount in
            guard mount.kind == .bind, !mount.isReadOnly, let written = mount.writtenSource ?? mount.source else {
                return false
            }
            return !written.hasPrefix("/") && !written.hasPrefix("~")
        }
        return Set(mounts.compactMap(\.source))
    }

    /// By service, pods' services before jobs': the environment in its final state. A job's service whose name is taken
    /// stands as `<job>/<service>`.
    package var environment: OrderedDictionary<String, [EnvironmentEntry]> {
        var result: OrderedDictionary<String, [EnvironmentEntry]> = [:]
        for service in project.services.values { result[service.name] = service.environmentEntries }
        for (job, project) in jobs {
            for service in project.services.values {
                let name = result[service.name] == nil ? service.name : "\(job)/\(service.name)"
                result[name] = service.environmentEntries
            }
        }
        return result
    }

    /// The component that a service belongs to; nil for a job's.
    package func component(of service: String) -> Component? {
        components.first { $0.serviceNames.contains(service) }
    }
}

/// The services of one pod of the stack.
package struct Component: Hashable, Sendable {
    package var name: String
    /// Whether all its services share one pod.
    package var colocate: Bool
    package var serviceNames: [String]

    package init(name: String, colocate: Bool = false, serviceNames: [String] = []) {
        self.name = name
        self.colocate = colocate
        self.serviceNames = serviceNames
    }
}

/// One variable of a container with where it was decided.
package struct EnvironmentEntry: Hashable, Sendable {
    package var name: String
    package var value: TemplateText
    /// The strongest layer that the value comes from.
    package var layer: Layer
    /// Where that layer wrote it.
    package var mark: Mark
    /// The variables that flowed in.
    package var uses: [VariableUse]
    /// The values set aside, the weakest first.
    package var shadowed: [ShadowedValue]

    package init(name: String, _ value: EnvironmentValue) {
        self.name = name
        self.value = value.text
        layer = value.layer
        mark = value.mark
        uses = value.uses
        shadowed = value.shadowed
    }
}

extension Service {
    /// The environment as a list, in its order.
    package var environmentEntries: [EnvironmentEntry] {
        environment.map { EnvironmentEntry(name: $0.key, $0.value) }
    }
}
