import TestSupport

/// Programs named kind and docker that answer as those do (recorded behaviour), note how they are called, and keep their world in files.
package struct RecordedKind: Sendable {
    /// `clusters`, `images.json`, `id` (of the image localhost/app:1), `node.json`; `config.yml` is what a cluster was made with.
    package let world: String

    /// - Parameters:
    ///   - world: the directory of its files.
    ///   - server: the API of its clusters.
    ///   - clusters: the names of those that there are, a line each.
    package init(_ world: String, _ server: TestAPIServer, clusters: String = "") throws {
        self.world = world
        let certificate = server.kubeconfig.replacing("/kubeconfig", with: "/cert.pem")
        let config = try read(server.kubeconfig).replacing("cert.pem", with: certificate)
        try write(config, to: world + "/kubeconfig")
        try write(clusters, to: world + "/clusters")
        try write(#"{"images":[]}"#, to: world + "/images.json")
        try write("", to: world + "/calls")
        try write("sha256:aa\n", to: world + "/id")
        try write("web:x:1234:1234::/:/bin/sh\n", to: world + "/passwd")
        try setNode(ports: [80, 443] + Array(30_000...30_063))
        try write(
            """
            #!/bin/bash
            cd \(world); echo "kind $*" >> calls
            case "$1 $2" in
            "version ") echo "kind v0.33.0" ;;
            "get clusters") if [ -s clusters ]; then cat clusters; else echo "No kind clusters found." >&2; fi ;;
            "get nodes") echo "$4-control-plane" ;;
            "get kubeconfig") cat kubeconfig ;;
            "create cluster") cat > config.yml; echo "$4" >> clusters ;;
            "delete cluster") sed -i "/^$4$/d" clusters ;;
            "load image-archive") echo '{"images":[{"id":"sha256:cc","repoTags":["localhost/so/app:local"]}]}' > images.json ;;
            "load docker-image") echo '{"images":[{"id":"sha256:aa","repoTags":["localhost/app:1"]}]}' > images.json ;;
            *) echo "kind: unknown $*" >&2; exit 1 ;;
            esac
            """, to: world + "/bin/kind", mode: 0o755)
        try write(
            """
            #!/bin/bash
            cd \(world); echo "docker $*" >> calls
            case "$1 $2" in
            "version ") ;;
            "inspect "*) cat node.json ;;
            "exec "*) if [ "$3" = ctr ]; then sed -i 's#localhost/so#docker.io/so#' images.json; else cat images.json; fi ;;
            "image inspect") [ "$5" = localhost/app:1 ] && cat id || { echo "No such image: $5" >&2; exit 1; } ;;
            "create --pull") echo c1 ;;
            "cp c1:/etc/passwd") tar --format ustar --create --file - passwd ;;
            "rm --force") ;;
            *) echo "docker: unknown $*" >&2; exit 1 ;;
            esac
            """, to: world + "/bin/docker", mode: 0o755)
    }

    /// - Parameters:
    ///   - mounts: JSON, as the engine tells of them.
    ///   - ports: of this host that lead to the node by the same number; those above 30048 by udp, too.
    package func setNode(mounts: String = "", ports: [Int] = [], id: String = "n1", startedAt: String = "") throws {
        let bindings = (ports.map { ($0, "tcp") } + ports.filter { $0 >= 30_048 }.map { ($0, "udp") })
            .map { #""\#($0)/\#($1)":[{"HostIp":"","HostPort":"\#($0)"}]"# }.joined(separator: ",")
        try write(
            #"[{"Id":"\#(id)","State":{"Running":true,"StartedAt":"\#(startedAt)"},"Mounts":[\#(mounts)],"HostConfig":{"PortBindings":{\#(bindings)}}}]"#,
            to: world + "/node.json")
    }

    /// What was called since the last time, without what only looks.
    package func changes() throws -> [String] {
        let calls = try read(world + "/calls").split(separator: "\n").map(String.init)
        try write("", to: world + "/calls")
        return calls.filter {
            $0.hasPrefix("kind create") || $0.hasPrefix("kind delete") || $0.hasPrefix("kind load")
        }
    }

    /// The search path of a host that has them.
    package func path(_ environment: [String: String]) -> String {
        world + "/bin:" + (environment["PATH"] ?? "/usr/bin:/bin")
    }
}
