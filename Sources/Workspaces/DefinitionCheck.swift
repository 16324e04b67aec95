package import Compose
import Specs
package import YAML

extension WorkspaceContext {
    /// What a definition names and is not there, or cannot be: agents, templates, images, compose files; each at its place.
    package func faults(of node: Node, in project: Project, tree: FileTree = .disk) -> [Diagnostic] {
        var faults = Diagnostics()
        func check(_ key: String, _ fault: (String) -> (String, String)?) {
            for item in node.value(key)?.sequence ?? node.value(key).map({ [$0] }) ?? [] {
                if let text = item.text, let (what, hint) = fault(text) {
                    faults.error("\(key): \(what)", at: item.mark, hint: hint)
                }
            }
        }
        check("agent") { name in
            let names = agentNames()
            return names.contains(name)
                ? nil : ("no agent '\(name)'", "\(Self.near(name, names))agents: \(names.joined(separator: ", "))")
        }
        check("template") { name in
            guard !name.contains("/"), let names = try? templates(of: project).list().map(\.name), !names.contains(name)
            else { return nil }
            return ("no template '\(name)'", "\(Self.near(name, names))templates: \(names.joined(separator: ", "))")
        }
        check("image") { name in
            ImageName(name) == nil
                ? (
                    "'\(name)' is not the name of an image",
                    "write registry/path:tag, such as docker.io/library/debian:bookworm"
                )
                : nil
        }
        check("compose") { path in
            tree.kind("\(project.path)/\(path)") == .file
                ? nil : ("\(path) is not a file of the project", "correct the path; it starts at \(project.path)")
        }
        return faults.list
    }

    private static func near(_ name: String, _ names: [String]) -> String {
        nearest(name, in: names).map { "did you mean '\($0)'? " } ?? ""
    }
}
