import Deployments
import ExternalTools
import FoundationEssentials
import YAML

extension WorkspaceImages {
    /// Every image of a workspace that the engine has, the newest first.
    package func list() async throws -> [Listing] {
        let filter = ["image", "ls", "--filter", "label=\(Self.label)=true", "--format", "{{.ID}}"]
        let ids = try await engine.command(filter).run().text.split(separator: "\n").map(String.init)
        guard !ids.isEmpty else { return [] }
        let output = try await engine.command(["image", "inspect", "--format", "json", "--"] + Set(ids).sorted()).run()
        let node = try loadYAMLDocument(output.standardOutput, file: "podman image inspect")
        return (node.sequence ?? []).flatMap(Self.listings).sorted { $0.created > $1.created }
    }

    private static func listings(_ node: Node) -> [Listing] {
        let labels = node.mapping?["Labels"] ?? node.mapping?["Config"]?.mapping?["Labels"]
        func label(_ name: String) -> String { labels?.mapping?["so.workspace.\(name)"]?.text ?? "" }
        return (node.mapping?["RepoTags"]?.sequence ?? []).compactMap(\.text).map { tag in
            Listing(
                tag: tag, source: label("source"), languages: label("languages"), agent: label("agent"),
                size: node.mapping?["Size"]?.text.flatMap { Int64($0) } ?? 0,
                created: String((node.mapping?["Created"]?.text ?? "").prefix(19)))
        }
    }

    /// Removes images that nobody uses; the engine itself refuses those that a container has.
    ///
    /// - Parameters:
    ///   - kept: tags that a workspace or session names.
    ///   - isTrial: only say which ones would go.
    /// - Returns: the tags that are gone, or would be.
    package func prune(keeping kept: Set<String>, isTrial: Bool = false) async throws -> [String] {
        var gone: [String] = []
        for image in try await list() where !kept.contains(image.tag) {
            if isTrial {
                gone.append(image.tag)
            } else if try await engine.command(["image", "rm", "--", image.tag]).result().status == 0 {
                gone.append(image.tag)
            }
        }
        return gone
    }
}
