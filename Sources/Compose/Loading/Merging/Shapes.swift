/// The shapes of a compose file's keys. A key that is not named here is ``MergeShape/plain``.
enum Shapes {
    static let file: MergeShape = .fields(
        [
            "services": .dictionary(service),
            "networks": .dictionary(.resource(network)),
            "volumes": .dictionary(.resource(["labels": .keyValues])),
            "configs": .dictionary(.resource(["labels": .keyValues])),
            "secrets": .dictionary(.resource(["labels": .keyValues])),
            "models": .dictionary(.plain),
        ], short: nil)

    /// The sections whose keys the user chooses.
    static let sections = ["services", "networks", "volumes", "configs", "secrets", "models"]

    static func section(_ name: String) -> MergeShape {
        if case .fields(let shapes, _) = file, case .dictionary(let shape) = shapes[name] { shape } else { .plain }
    }

    private static let network: [String: MergeShape] = [
        "labels": .keyValues,
        "ipam": .fields(["config": .pools([:])], short: nil),
    ]

    private static let texts: MergeShape = .list(.text, identity: nil)
    private static let uniqueTexts: MergeShape = .list(.text, identity: .text)
    private static let hook: ItemForm = .mapping(["command": .replaced, "environment": .keyValues])

    private static func files(_ prefix: String?) -> MergeShape {
        .list(.short("source"), identity: prefix.map { .fileTarget(prefix: $0) })
    }

    private static let build: MergeShape = .fields(
        [
            "args": .keyValues,
            "additional_contexts": .keyValues,
            "extra_hosts": .extraHosts,
            "labels": .keyValues,
            "ssh": .keyValues,
            "secrets": files(nil),
            "tags": uniqueTexts,
            "platforms": uniqueTexts,
            "cache_from": texts,
            "cache_to": texts,
            "entitlements": texts,
            "no_cache_filter": texts,
            "ulimits": .dictionary(.replaced),
        ], short: "context")

    private static let deploy: MergeShape = .fields(
        [
            "labels": .keyValues,
            "resources": .fields(
                [
                    "reservations": .fields(
                        ["devices": .list(.mapping(["options": .keyValues]), identity: nil)], short: nil)
                ], short: nil),
        ], short: nil)

    static let service: MergeShape = .fields(
        [
            "annotations": .keyValues,
            "build": build,
            "cap_add": uniqueTexts,
            "cap_drop": uniqueTexts,
            "command": .replaced,
            "configs": files(""),
            "depends_on": .named(
                .plain, defaults: [("condition", "service_started"), ("required", "true")]),
            "deploy": deploy,
            "develop": .fields(
                ["watch": .list(.mapping(["ignore": texts, "include": texts]), identity: nil)], short: nil),
            "device_cgroup_rules": texts,
            "devices": .list(.device, identity: .target),
            "dns": uniqueTexts,
            "dns_opt": uniqueTexts,
            "dns_search": uniqueTexts,
            "entrypoint": .replaced,
            "env_file": .list(.short("path"), identity: .path),
            "environment": .keyValues,
            "expose": uniqueTexts,
            "extends": .fields([:], short: "service"),
            "external_links": texts,
            "extra_hosts": .extraHosts,
            "gpus": .list(.gpu, identity: nil),
            "group_add": texts,
            "healthcheck": .fields(["test": .replaced], short: nil),
            "label_file": texts,
            "labels": .keyValues,
            "links": uniqueTexts,
            "logging": .logging([:]),
            "models": .named(.plain, defaults: []),
            "networks": .named(
                .fields(["aliases": uniqueTexts, "link_local_ips": uniqueTexts], short: nil), defaults: []),
            "ports": .list(.port, identity: .port),
            "post_start": .list(hook, identity: nil),
            "pre_start": .list(hook, identity: nil),
            "pre_stop": .list(hook, identity: nil),
            "profiles": uniqueTexts,
            "secrets": files("/run/secrets"),
            "security_opt": texts,
            "sysctls": .keyValues,
            "tmpfs": .list(.text, identity: .mountPoint),
            "ulimits": .dictionary(.replaced),
            "volumes": .list(.volume, identity: .target),
            "volumes_from": texts,
        ], short: nil)
}
