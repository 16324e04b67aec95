import ArgumentParser
import Deployments
import Rendering

/// `so cluster create`.
struct ClusterCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make the kind cluster of this host; one that exists is left as it is.",
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
        let name = try await host.cluster(named: options.name)
        if let name { return Terminal.note("the kind cluster \(name) is there already") }
        let mounts = mountRoot.map { root in
            [KindPaths.mountRoot, KindPaths.host + root].map { KindMount(hostPath: root, nodePath: $0) }
        }
        let wanted = options.name ?? "so"
        if global.dryRun { return Terminal.output(host.config(mounts ?? [], image: image).yaml) }
        if !global.quiet { Terminal.note("making the kind cluster \(wanted)") }
        try await host.create(wanted, mounts: mounts ?? [], image: image)
        if !global.quiet { Terminal.note("the kind cluster \(wanted) is ready") }
    }
}

extension Host {
    /// kind and the engine of this host.
    static func kind() async throws -> KindHost {
        try await KindHost.find(environment: environment, stateDirectory: kindDirectory)
    }
}
