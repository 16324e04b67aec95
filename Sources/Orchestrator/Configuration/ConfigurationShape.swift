package import Specs

extension Shape {
    /// The keys of orchestrator.yml.
    package static let orchestrator = Shape.fields(serverKeys + workKeys)

    private static let serverKeys = [
        Field("listen", .checked(.listenAddress), "the address and port that the server listens on"),
        Field("url", .checked(.webAddress), required: true, "where the forge and people reach the server"),
        Field(
            "store", .checked(.nonEmpty),
            "sqlite:FILE or postgresql://HOST/DATABASE; its password belongs in store-password-file"),
        Field("store-password-file", .checked(.nonEmpty), "the file that holds the password of the database"),
        Field("state-directory", .checked(.nonEmpty), "where clones of repositories and the administrator's token are"),
        Field(
            "administrator-token-file", .checked(.nonEmpty),
            "the file that holds the administrator's token; made in the state directory by default"),
        Field(
            "runtime", .checked(.oneOf(["podman", "k8s-kind", "k8s", "none"])),
            "what runs the agents; none: other replicas of the same store do"),
        Field("kube-config", .checked(.nonEmpty), "the kubeconfig of the cluster; in a cluster, its service account"),
        Field(
            "image-registry", .checked(.nonEmpty), "k8s: where agents' images are pushed to, and nodes pull them from"),
        Field("forge", forge, required: true, "where the issues are"),
        Field("credentials", credentials, "where the agents' credentials are kept"),
    ]

    private static let forge = Shape.fields([
        Field("kind", .checked(.oneOf(ForgeKind.allCases.map(\.rawValue))), required: true, "the program of the forge"),
        Field("api", .checked(.webAddress), "the address of its API; https://api.github.com by default for github"),
        Field(
            "webhook-secret-file", .checked(.nonEmpty), required: true,
            "the file that holds the secret of the webhook"),
        Field("token-file", .checked(.nonEmpty), "the file that holds a token"),
        Field("app-id", .checked(.nonEmpty), "the id of a GitHub App, instead of a token"),
        Field("private-key-file", .checked(.nonEmpty), "the file that holds the private key of the GitHub App"),
        Field("name", .checked(.name), "what comments call the orchestrator, without @; so by default"),
        Field(
            "oauth",
            .fields([
                Field("client-id", .checked(.nonEmpty), required: true, "the id of the OAuth application"),
                Field(
                    "client-secret-file", .checked(.nonEmpty), required: true,
                    "the file that holds the secret of the OAuth application"),
            ]), "lets people sign in with their account of the forge"),
    ])

    private static let credentials = Shape.fields([
        Field(
            "backend", .checked(.oneOf(CredentialsConfiguration.Backend.allCases.map(\.rawValue))), required: true,
            "file, vault (HashiCorp Vault or OpenBao) or kubernetes"),
        Field("key-file", .checked(.nonEmpty), "file: the file, mode 0600, that holds the key"),
        Field("directory", .checked(.nonEmpty), "file: where the encrypted credentials are"),
        Field("address", .checked(.webAddress), "vault: the address of the server"),
        Field("mount", .checked(.name), "vault: the mount of the KV version 2 engine; secret by default"),
        Field("path", .checked(.innerPath), "vault: the path below the mount; so by default"),
        Field("token-file", .checked(.nonEmpty), "vault: the file that holds a token"),
        Field("role-id", .checked(.nonEmpty), "vault: the role of AppRole"),
        Field("secret-id-file", .checked(.nonEmpty), "vault: the file that holds the secret id of AppRole"),
        Field("kubernetes-role", .checked(.nonEmpty), "vault: the role of the Kubernetes login"),
        Field("namespace", .checked(.label), "kubernetes: the namespace of the Secret"),
        Field("secret", .checked(.label), "kubernetes: the name of the Secret; so-credentials by default"),
    ])

    private static let workKeys = [
        Field("agents", .mapping(.label, agent), "agent profiles by name; `default` is the one without a label"),
        Field("projects", .list(project), required: true, "the repositories whose issues are worked on"),
        Field("max-parallel", .integer(1...10_000), "how many tasks run at once over all replicas; 10"),
        Field("attempts", .integer(1...20), "how often an agent is started for one instruction; 2"),
        Field("idle-timeout", .checked(.span), "how long a finished agent's pods stay up, such as 30m"),
        Field("keep-sessions", .checked(.span), "how long the work of ended tasks stays on the host, such as 1d"),
    ]

    private static let agent = Shape.fields([
        Field("cli", .checked(.label), required: true, "the coding CLI: an agent of config/agents"),
        Field("template", .checked(.label), "the template of its image"),
        Field(
            "limits",
            .fields([
                Field("cpus", .checked(.cpus), "CPUs, such as 2"), Field("memory", .checked(.bytes), "such as 4Gi"),
                Field("disk", .checked(.bytes), "such as 20Gi"),
            ]), "its pod's share of the host"),
        Field("budget-usd", .checked(.dollars), "US dollars that one task may spend"),
        Field("max-parallel", .integer(1...10_000), "how many tasks of this profile run at once"),
        Field("timeout", .checked(.span), "how long one run may take, such as 1h"),
        Field(
            "allow-containers", .bool,
            "whether repositories may have `tools: [podman]`, whose pods see more of the host's kernel; false"),
    ])

    private static let project = Shape.fields([
        Field("repository", .checked(.repositoryName), required: true, "owner/name"),
        Field("label", .checked(.nonEmpty), "the label that triggers a task; so by default"),
        Field("agent", .checked(.label), "the profile without a label or route; default"),
        Field("max-parallel", .integer(1...10_000), "how many of its tasks run at once"),
        Field("budget-usd", .checked(.dollars), "US dollars that its tasks may spend in a calendar month"),
        Field("disk-limit", .checked(.bytes), "what its clone and sessions may take of a host's disk, such as 20Gi"),
        Field("allow-paths", .list(.checked(.nonEmpty)), "protected paths that its agents may change all the same"),
        Field(
            "routes",
            .list(
                .fields([
                    Field("agent", .checked(.label), required: true, "the profile"),
                    Field("paths", .list(.checked(.innerPath)), "beginnings of paths that the issue names"),
                    Field("words", .list(.checked(.nonEmpty)), "words of its title or text"),
                    Field("labels", .list(.checked(.nonEmpty)), "labels of it"),
                ])), "which issues another profile gets; the first that fits"),
    ])
}

extension TextRule {
    static let webAddress = TextRule("an http or https address without credentials", pattern: "^https?://") { text in
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        return !rest.isEmpty && !rest.hasPrefix("/")
            && !rest.contains { $0.isWhitespace || "@\"'<>\\".contains($0) }
    }
    static let listenAddress = TextRule("an address and port, such as 127.0.0.1:8420") { ListenAddress($0) != nil }
    static let dollars = TextRule("an amount of US dollars, such as 5 or 2.50", pattern: "^[0-9]+(\\.[0-9]+)?$") {
        Double($0).map { $0 > 0 && $0.isFinite } ?? false
    }
    static let span = TextRule("a time, such as 30m, 2h, 90s or 1d", pattern: "^[0-9]+[smhd]$") {
        spanSeconds($0) != nil
    }
    static let repositoryName = TextRule("a repository, such as owner/name") { text in
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return (2...5).contains(parts.count) && parts.allSatisfy { TextRule.name.accepts(String($0)) }
    }
}

/// Seconds of `30m`; nil for what is not a time.
func spanSeconds(_ text: String) -> Int? {
    guard let unit = text.last, let factor = ["s": 1, "m": 60, "h": 3600, "d": 86400][unit],
        let number = Int(text.dropLast()), (1...100_000).contains(number), text.first != "+"
    else { return nil }
    return number * factor
}

/// Where the server listens.
package struct ListenAddress: Hashable, Sendable {
    package var host: String
    package var port: Int

    /// Reads `127.0.0.1:8420` or `[::1]:8420`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(":"), !host.contains(where: \.isWhitespace) else {
            return nil
        }
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
        self.port = port
    }
}
