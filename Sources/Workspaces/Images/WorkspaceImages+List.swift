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
    ///   - kept: what workspaces and sessions name.
    ///   - isTrial: only say which ones would go.
    /// - Returns: the tags that are gone, or would be; for images without one, which a newer build has taken, their ids.
    package func prune(keeping kept: InUse, isTrial: Bool = false) async throws -> [String] {
        var labels = ["\(Self.label)=true"]
        if kept.isComplete { labels += ["\(Self.label)=\(Self.base)", Self.egress] }
        var gone: [String] = []
        // What is built on another one goes before it.
        for label in labels {
            for image in try await names(label) where !kept.tags.contains(image) {
                if isTrial {
                    gone.append(image)
                } else if try await engine.command(["image", "rm", "--", image]).result().status == 0 {
                    gone.append(image)
                }
            }
        }
        return gone
    }

    /// The tags of all images with a label, and the ids of those without one.
    private func names(_ label: String) async throws -> [String] {
        let format = "{{.ID}} {{.Repository}}:{{.Tag}}"
        let listed = ["image", "ls", "--no-trunc", "--filter", "label=\(label)", "--format", format]
        return try await engine.command(listed).run().text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2 else { return nil }
            return words[1].contains("<none>") ? words[0] : words[1]
        }
    }
}
