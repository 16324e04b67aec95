import TestSupport

/// Compose files of a few services, each with some keys of odd values: what authors write, and what they should not.
struct RandomProjects {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> String {
        let names = ["web", "my_DB", "0x", "a.b", "c-"].shuffled(using: &generator).prefix(
            Int.random(in: 1...3, using: &generator))
        let services = names.map { name in "  \"\(name)\": {image: i\(keys(names: Array(names)).joined())}" }
        return
            "services:\n\(services.joined(separator: "\n"))\nvolumes: {v: , W_1: , n: {driver_opts: {type: nfs, o: \"addr=h\", device: \":/x\"}}}\n"
            + "secrets: {S_x: {file: ./f}}\nconfigs: {c: {file: ./f}}\n"
    }

    private mutating func keys(names: [String]) -> [String] {
        Self.keys.shuffled(using: &generator).prefix(Int.random(in: 0...5, using: &generator)).map { key, values in
            let value = values.randomElement(using: &generator) ?? ""
            return ", \(key): \(value.contains("@") ? named(value, names) : value)"
        }
    }

    private mutating func named(_ value: String, _ names: [String]) -> String {
        value.split(separator: "@", omittingEmptySubsequences: false).joined(
            separator: names.randomElement(using: &generator) ?? "web")
    }

    private static let keys: [(String, [String])] = [
        (
            "ports",
            ["[\"80\"]", "[\"80:80\", \"80:80/udp\", \"81\"]", "[{target: 5, name: \"A_b\", app_protocol: \"a b\"}]"]
        ),
        ("expose", ["[\"80\", \"5-7/udp\"]"]), ("container_name", ["web1", "Big_One", "x.y"]),
        ("hostname", ["h", "h.x.y", "H_1"]), ("domainname", ["d", "d.e"]),
        ("extra_hosts", ["[\"A_b=1.1.1.1\", \"Cc=::1\"]"]),
        ("dns", ["[1.1.1.1, x]", "[1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4]"]),
        ("dns_search", ["[a.b, A_b, .]"]), ("dns_opt", ["[\"ndots:2\", use-vc]"]),
        ("sysctls", ["{net.core.somaxconn: 1, Bad Name: 2}", "{kernel.shmmax: 1}"]),
        ("network_mode", ["host", "none", "service:@"]),
        ("pid", ["host", "service:@"]), ("ipc", ["host", "shareable", "service:@"]), ("init", ["true"]),
        ("user", ["\"1000\"", "\"1:4294967295\"", "root"]), ("group_add", ["[5, \"99999999999\"]"]),
        ("cpus", ["0", "0.1"]), ("cpu_shares", ["0", "2048"]), ("mem_limit", ["0", "1m"]), ("mem_reservation", ["1g"]),
        ("storage_opt", ["{size: 10g, a: b}", "{size: bad}"]), ("shm_size", ["0", "64m"]),
        ("environment", ["{A: 1, \"1A\": 2, \"a b\": 3}"]), ("privileged", ["true"]),
        ("security_opt", ["[no-new-privileges]", "[\"apparmor=\"]"]),
        ("runtime", ["My_RT", "gvisor"]), ("platform", ["linux/arm64/v8", "\"x y\""]),
        ("labels", ["{\"a b\": c, x.y/z: d}"]),
        ("annotations", ["{\"-bad\": c}"]), ("restart", ["\"no\"", "on-failure:3", "always"]), ("scale", ["0", "3"]),
        ("stop_grace_period", ["0s", "3h"]), ("stop_signal", ["SIGINT"]),
        ("tmpfs", ["[/run, \"/x:size=1m,mode=700\"]"]),
        (
            "healthcheck",
            [
                "{test: \"true\", interval: 0s, retries: 0, start_period: 1h}",
                "{test: \"x\", timeout: 1ms, retries: 99999999999}",
            ]
        ),
        ("configs", ["[c]", "[{source: c, mode: 01777, uid: \"7\", gid: \"99999999999\"}]"]),
        ("secrets", ["[S_x, {source: S_x, target: /a/b, mode: 400, uid: \"9\"}]"]),
        (
            "volumes",
            [
                "[\"v:/a\", \"v:/b:ro\", \"/anon\", \"W_1:/w\"]",
                "[\"./d:/d\", \"./f:/f:ro\", \"/etc/x:/e\", \"n:/n\"]",
                "[{type: volume, source: v, target: /s, volume: {subpath: /x}}]",
                "[{type: bind, source: /m, target: /m, bind: {propagation: rshared, create_host_path: false}}]",
                "[{type: volume, source: v, target: \"/a:b\"}]",
                "[{type: tmpfs, target: /t, tmpfs: {size: 1g, mode: 0700}}]",
            ]
        ),
        ("volumes_from", ["[\"@:ro\"]"]), ("links", ["[\"@:Al_ias\"]"]), ("depends_on", ["[@]"]),
        (
            "deploy",
            [
                "{mode: global, update_config: {parallelism: 0, order: start-first}}", "{update_config: {delay: 20m}}",
                "{mode: replicated-job, replicas: 2}", "{replicas: 0}", "{labels: {\"a b\": c}}",
                "{placement: {preferences: [{spread: node.labels.a}, {spread: node.labels.a}], constraints: [\"node.labels.x==y z\", \"node.role==manager\"]}}",
                "{resources: {limits: {cpus: \"0.5\", memory: 1m}, reservations: {cpus: \"1\", memory: 1g}}}",
                "{endpoint_mode: dnsrr, restart_policy: {condition: any, max_attempts: 3}}",
            ]
        ),
        ("post_start", ["[{command: [a, b], working_dir: /x}]"]), ("pre_start", ["[{command: [a]}]"]),
        ("devices", ["[/dev/null]"]), ("cap_add", ["[ALL, CAP_SYS_ADMIN]"]),
    ]
}
