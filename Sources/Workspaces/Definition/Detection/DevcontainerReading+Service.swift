import Compose
import OrderedCollections
import YAML

extension DevcontainerReading {
    /// `service` is the workspace itself; the others of the compose files run beside it.
    /// https://containers.dev/implementors/json_reference/#compose-specific
    mutating func readService(tree: FileTree) {
        guard let files = node.mapping?["dockerComposeFile"], let wanted = node.mapping?["service"],
            let name = wanted.text
        else { return }
        let paths = (files.sequence ?? [files]).compactMap(\.text).map { absolutePath($0, in: directory) }
        var options = LoadOptions()
        (options.requiresInputs, options.warnsOfUnsetVariables) = (false, false)
        // What is wrong with the files is told when their services are read.
        var found = Diagnostics()
        guard let project = loadProject(files: paths, options: options, tree: tree, diagnostics: &found) else { return }
        guard let service = project.services[name] else {
            let names = Array(project.services.keys)
            diagnostics.error(
                "`service`: no service '\(name)' in the compose files", at: wanted.mark,
                hint: nearest(name, in: names).map { "did you mean '\($0)'?" }
                    ?? "services: \(names.joined(separator: ", "))")
            return
        }
        takeImage(of: service)
        takeEnvironment(of: service)
        nameRest(of: service)
        let chosen = node.mapping?["runServices"]?.sequence?.compactMap(\.text)
        takeCompanions((chosen ?? Array(project.services.keys)).filter { $0 != name })
    }

    /// Keys that are read above, and those that say nothing about what is in the workspace.
    private static let read: Set<String> = [
        "image", "build", "environment", "env_file", "depends_on", "profiles", "container_name", "restart", "tty",
        "stdin_open", "init", "attach", "pull_policy",
    ]

    private mutating func nameRest(of service: Service) {
        for (key, mark) in service.keys.sorted(by: { $0.value.line < $1.value.line })
        where !Self.read.contains(key) && !key.contains(".") && !key.hasPrefix("x-") {
            let hint: String? =
                switch key {
                case "volumes": "a session works on its own checkout; `copy:` takes ignored files along"
                case "network_mode", "networks": "the companions are reached by their names"
                case "ports", "expose": "say them under `ports:` of workspace.yml, or `forwardPorts`"
                case "command", "entrypoint":
                    "the pod's first program is so's; what has to run once goes under `setup:`"
                default: nil
                }
            diagnostics.warning(
                "`\(service.name).\(key)` is ignored", at: mark, hint: hint)
        }
    }

    private mutating func takeImage(of service: Service) {
        guard let build = service.build else {
            if let image = service.image { take("image", .string(image, mark: service.mark)) }
            return
        }
        let context = relative(build.context ?? service.directory)
        var inner = Mapping()
        inner["context"] = .string(context, mark: service.mark)
        if let file = build.dockerfile {
            let full = absolutePath(file, in: build.context ?? service.directory)
            inner["dockerfile"] = .string(relative(full, to: context), mark: service.mark)
        }
        if let target = build.target { inner["target"] = .string(target, mark: service.mark) }
        let args = build.args.map { ($0.key, Node.string($0.value.text.encoded)) }
        if !args.isEmpty { inner["args"] = .map(args) }
        take("build", Node(.mapping(inner), mark: service.mark))
    }

    private mutating func takeEnvironment(of service: Service) {
        for (name, value) in service.environment {
            takeVariable(name, .string(value.text.encoded, mark: value.mark))
        }
    }
}
