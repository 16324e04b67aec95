/// kind, and the container engine that its nodes run in. Argument lists are values.
package struct Kind: Hashable, Sendable {
    /// What runs the nodes.
    package enum Provider: String, Hashable, Sendable, CaseIterable {
        case docker, podman, nerdctl

        /// The engine's program.
        package var program: String { rawValue }
    }

    package var provider: Provider
    /// The operator's environment, which both inherit.
    package let host: [String: String]

    package init(provider: Provider, host: [String: String]) {
        self.provider = provider
        self.host = host
    }

    /// The same with another engine.
    package func with(_ provider: Provider) -> Kind { Kind(provider: provider, host: host) }

    private func kind(_ arguments: [String], input: [UInt8]? = nil, cancellation: Command.Cancellation = .terminate)
        -> Command
    {
        let environment = provider == .docker ? [:] : ["KIND_EXPERIMENTAL_PROVIDER": provider.rawValue]
        return Command(
            "kind", arguments, host: host, environment: environment, input: input, cancellation: cancellation)
    }

    private func engine(_ arguments: [String], cancellation: Command.Cancellation = .terminate) -> Command {
        Command(provider.program, arguments, host: host, cancellation: cancellation)
    }

    // MARK: kind

    /// Whether there is a kind at all; asks no engine.
    package var version: Command { kind(["version"]) }

    package var clusters: Command { kind(["get", "clusters"]) }

    package func nodes(of cluster: String) -> Command { kind(["get", "nodes", "--name", cluster]) }

    /// Prints it: the user's own kubeconfig, and a stale lock beside it, stay out of this.
    package func kubeconfig(of cluster: String) -> Command { kind(["get", "kubeconfig", "--name", cluster]) }

    /// Makes a cluster from a config on standard input.
    ///
    /// - Parameter kubeconfig: the file that kind writes the way in to, instead of the user's.
    package func create(_ cluster: String, config: String, kubeconfig: String) -> Command {
        kind(
            ["create", "cluster", "--name", cluster, "--config", "-", "--kubeconfig", kubeconfig, "--wait", "3m"],
            input: Array(config.utf8), cancellation: .finish)
    }

    package func delete(_ cluster: String, kubeconfig: String) -> Command {
        kind(["delete", "cluster", "--name", cluster, "--kubeconfig", kubeconfig], cancellation: .finish)
    }

    package func load(images: [String], into cluster: String) -> Command {
        kind(["load", "docker-image", "--name", cluster] + images)
    }

    package func load(archive: String, into cluster: String) -> Command {
        kind(["load", "image-archive", "--name", cluster, archive])
    }

    // MARK: The engine

    /// Whether the engine answers at all.
    package var engineVersion: Command { engine(["version"]) }

    package func inspect(node: String) -> Command { engine(["inspect", node]) }

    /// Gives an image of a node's containerd a further name.
    package func tag(_ image: String, as name: String, on node: String) -> Command {
        engine(["exec", node, "ctr", "--namespace", "k8s.io", "images", "tag", "--force", image, name])
    }

    /// Empties a directory as a node sees it: files there may belong to any user.
    package func empty(_ path: String, on node: String) -> Command {
        engine(["exec", node, "find", path, "-mindepth", "1", "-delete"])
    }

    /// The images that a node's containerd has.
    package func images(of node: String) -> Command { engine(["exec", node, "crictl", "images", "--output", "json"]) }

    // MARK: The engine's own store, which need not be that of the nodes' engine

    package func imageID(_ image: String) -> Command { engine(["image", "inspect", "--format", "{{.Id}}", image]) }

    /// Makes a container of an image that is never started; prints its id. The word stands for a command, which an image need not have.
    package func makeContainer(of image: String) -> Command {
        engine(["create", "--pull", "never", "--network", "none", "--", image, "none"])
    }

    /// Writes a file of a container to standard output, as a tar archive.
    package func copy(_ path: String, from container: String) -> Command {
        engine(["cp", "\(container):\(path)", "-"])
    }

    package func removeContainer(_ container: String) -> Command {
        engine(["rm", "--force", container], cancellation: .finish)
    }

    package func save(_ image: String, to file: String) -> Command {
        // One platform only: an index with platforms that were never pulled cannot be loaded.
        let format = provider == .podman ? ["--format", "docker-archive"] : []
        return engine(["save"] + format + ["--output", file, image])
    }
}
