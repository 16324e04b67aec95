import ArgumentParser
import Deployments
import Rendering
import Runtimes

/// `so cluster create`.
struct ClusterCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create the kind cluster of this host; an existing one is left as it is.",
        discussion: """
            Ports 80 and 443 are mapped for routes, 127.0.0.1:30000-30063 for published ports (UDP: 30048-30063). A directory given by \
            --mount-root is what `kind-mount-root` of specs may name; volumes below it need no other mount, whether a spec \
            names it or not. The first start makes the cluster too, with the directory in which its deployment stands.
            """)

    @OptionGroup var options: ClusterOptions
    @OptionGroup var global: GlobalOptions

    @Option(help: "An absolute directory of this host that the node sees at /mnt.")
    var mountRoot: String?

    @Option(help: "The image of the node, such as kindest/node:v1.34.0 (default: kind's own).")
    var image: String?

    func validate() throws {
        if let mountRoot, !mountRoot.hasPrefix("/") { throw ValidationError("--mount-root takes an absolute path") }
    }

    func run() async throws {
        let host = try await Host.kind()
        let mounts =
            mountRoot.map { root in
                [KindPaths.mountRoot, KindPaths.host + root].map { KindMount(hostPath: root, nodePath: $0) }
            } ?? []
        if global.dryRun {
            if let name = try await host.cluster(named: options.name) { return isThere(name) }
            return Terminal.output(host.config(mounts, image: image).yaml)
        }
        let isQuiet = global.quiet
        let cluster = try await host.ensure(named: options.name, mounts: mounts, image: image) {
            if !isQuiet { Terminal.note("waiting for \($0)") }
        }
        guard cluster.isNew else { return isThere(cluster.name) }
        if !isQuiet { Terminal.note("the kind cluster \(cluster.name) is ready") }
    }

    private func isThere(_ name: String) {
        if !global.quiet { Terminal.note("the kind cluster \(name) is there already") }
    }
}

extension Host {
    /// kind and the engine of this host.
    static func kind() async throws -> KindHost {
        try await KindHost.find(environment: environment, stateDirectory: deployments.host.kindDirectory)
    }
}
