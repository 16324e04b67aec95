import KubernetesClient
import YAML

extension ClusterSession {
    /// Gives published ports node ports of the pool that reaches the host: those that they have, else free ones.
    func assigningNodePorts(
        _ objects: [DesiredObject], _ observed: ClusterObserved
    ) async throws(DeploymentError) -> [DesiredObject] {
        guard let pools = nodePorts, objects.contains(where: { $0.publishesPorts }) else { return objects }
        let all = try await call { () async throws(KubernetesError) in
            try await client.list(.services, Selection()).items
        }
        var used: Set<Int> = []
        for service in all {
            for port in service.spec?["ports"]?.sequence ?? [] {
                if let number = port["nodePort"]?.intValue { used.insert(number) }
            }
        }
        var result = objects
        for index in objects.indices where objects[index].publishesPorts {
            let live = observed.objects[objects[index].key]?.spec?["ports"]?.sequence ?? []
            let ports = objects[index].node.at("spec", "ports")?.sequence ?? []
            var given: [Node] = []
            for port in ports {
                let transport = (port["protocol"]?.text ?? "TCP").lowercased()
                guard let pool = pools[transport] else {
                    throw DeploymentError(
                        .unsupported, "kind clusters map no \(transport) port to this host",
                        hint: "publish no such port (`network.ports: {<service>: []}`)")
                }
                let known = live.first { $0["name"]?.text == port["name"]?.text }?["nodePort"]?.intValue
                let number = known.flatMap { pool.contains($0) ? $0 : nil } ?? pool.first { !used.contains($0) }
                guard let number else {
                    throw DeploymentError(
                        .cannotCreate,
                        "all \(pool.count) \(transport) ports that the kind cluster maps to this host are taken",
                        hint: "stop a deployment that publishes ports, or route by `network.http-proxy`")
                }
                used.insert(number)
                given.append(port.setting(["nodePort"], .plain("\(number)")))
            }
            result[index].node = objects[index].node.setting(["spec", "ports"], .list(given))
        }
        return result
    }
}

extension DesiredObject {
    fileprivate var publishesPorts: Bool {
        key.type == .services && node.at("spec", "type")?.text == "NodePort"
    }
}
