package import YAML

/// A loaded project that can be printed as `docker compose config` prints it.
package struct CanonicalProject: Sendable {
    /// The project; without services where variables were left as they stand.
    package let project: Project
    /// What interpolation saw.
    package let scope: VariableScope
    /// The merged files, their paths made absolute.
    let model: Node
    /// The merged files, their paths as written.
    let writtenModel: Node
    let isInterpolated: Bool
}

/// How a canonical model is printed.
package struct CanonicalOptions: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case yaml, json
    }

    package var format = Format.yaml
    /// Whether names, the default network and implied dependencies are filled in.
    package var normalizes = true
    /// Whether relative paths are made absolute.
    package var resolvesPaths = true

    package init() {}
}

/// Loads compose files as ``loadProject(files:options:tree:diagnostics:)`` does, for printing.
package func loadCanonicalProject(
    files: [String], options: LoadOptions = LoadOptions(), tree: FileTree, diagnostics: inout Diagnostics
) -> CanonicalProject? {
    let state = LoadState(tree: tree, options: options)
    let loaded = ProjectLoader(state: state, files: files.map(normalizedPath)).load()
    diagnostics.append(contentsOf: state.diagnostics.list.naming(state.unsetVariables))
    return loaded
}

extension CanonicalProject {
    /// The model as text. A dollar sign is written twice, so that the text is a compose file of the same meaning; secrets are
    /// masked.
    package func text(_ options: CanonicalOptions = CanonicalOptions()) -> String {
        let node = node(options)
        let text = options.format == .json ? node.json(pretty: true) + "\n" : node.yaml()
        return isInterpolated ? text.replacing("$", with: "$$") : text
    }

    /// The model in canonical form.
    package func node(_ options: CanonicalOptions = CanonicalOptions()) -> Node {
        let printer = CanonicalPrinter(format: options.format)
        let model = prepared(options)
        guard isInterpolated else { return printer.verbatim(model) }
        return printer.project(model)
    }

    /// A service as docker compose hashes it to see whether its container is out of date: JSON of what decides the container.
    package func hashedText(ofService name: String) -> String? {
        guard var service = prepared(CanonicalOptions()).mapping?["services"]?.mapping?[name]?.mapping else {
            return nil
        }
        for key in ["build", "pull_policy", "scale", "depends_on", "profiles"] { service[key] = nil }
        if var deploy = service["deploy"]?.mapping {
            deploy["replicas"] = nil
            service["deploy"] = Node(.mapping(deploy))
        }
        // Go's writer escapes what would mean something to a browser.
        return CanonicalPrinter(format: .json).service(Node(.mapping(service)))?.json()
            .replacing("&", with: "\\u0026").replacing("<", with: "\\u003c").replacing(">", with: "\\u003e")
    }

    /// The variables that the files name; all of them only where variables were left as they stand.
    package var variables: [TemplateVariable] { TemplateVariable.all(in: writtenModel) }

    private func prepared(_ options: CanonicalOptions) -> Node {
        let model = CanonicalDefaults.filled(options.resolvesPaths ? self.model : writtenModel)
        let normalizer = CanonicalNormalizer(
            name: project.name, directory: options.resolvesPaths ? project.directory : ".",
            scope: isInterpolated ? scope : nil, fillsNames: options.normalizes)
        let normalized = normalizer.normalized(model)
        return isInterpolated ? CanonicalSelection(project: project).selected(normalized) : normalized
    }
}
