package import Specs
import YAML

extension Shape {
    /// The keys of workspace.yml.
    package static let workspace = Shape.fields(imageKeys + partKeys + lifeKeys)

    private static let imageKeys = [
        Field("template", .checked(.label), "the template that the image is made of; default where nothing is said"),
        Field("image", .checked(.nonEmpty), "an image instead of a template"),
        Field("build", .scalarOr(.checked(.innerPath), build), "a Containerfile of the project instead of a template"),
        Field(
            "devcontainer", .checked(.innerPath), "a devcontainer.json; values of this file override its values"),
        Field("languages", .mapping(.language, .checked(.nonEmpty)), "languages, each with its version"),
        Field("tools", .list(.checked(.tool)), "programs of the distribution's packages"),
        Field("frameworks", .list(.checked(.oneOf(Framework.allCases.map(\.rawValue)))), "larger things in the image"),
        Field("agent", .checked(.label), "the coding CLI"),
    ]

    private static let build = Shape.fields([
        Field("context", .checked(.innerPath), "the directory, within the project; . by default"),
        Field("dockerfile", .checked(.innerPath), "the Containerfile, within the context"),
        Field("target", .checked(.nonEmpty), "the stage to build"),
        Field("args", .mapping(.variable, .text), "the build's arguments"),
    ])

    private static let partKeys = [
        Field(
            "databases",
            .list(.scalarOr(.checked(.database), .mapping(.database, .checked(.databasePlace)))),
            "databases beside the agent; {mysql: host} reaches the host's own, {postgresql: \"16\"} names a version"),
        Field(
            "compose", .scalarOr(.checked(.innerPath), .list(.checked(.innerPath))),
            "the project's compose files, whose services run beside the agent"),
        Field("profiles", .list(.checked(.nonEmpty)), "profiles of the compose files"),
        Field("services", .list(.checked(.name)), "the services of the compose files to run; all by default"),
        Field("ports", .list(.integer(1...65535)), "ports that get a URL"),
        Field("setup", .list(.checked(.nonEmpty)), "shell commands, run once in each checkout"),
        Field("environment", .mapping(.variable, .nullable(.text)), "variables; values may use $generate:…$"),
        Field("pass", .list(.checked(.variable)), "variables of the host's environment, as secrets"),
        Field("copy", .list(.checked(.innerPath)), "ignored files that a clone gets too"),
        Field(
            "egress",
            .fields([
                Field("allow", .list(.checked(.egressName)), "names that the pod may reach"),
                Field("deny-all", .bool, "whether all others are denied; true by default"),
                Field("push", .bool, "whether git may push through the egress"),
            ]), "what the pod may reach"),
        Field(
            "budget",
            .fields([
                Field("cost", .checked(.amount), "US dollars that a session may spend"),
                Field("tokens", .integer(1...1_000_000_000_000), "tokens that a session may use"),
            ]), "what a session may spend"),
    ]

    private static let lifeKeys = [
        Field(
            "resources",
            .fields([
                Field("cpus", .checked(.cpus), "CPUs, such as 4"), Field("memory", .checked(.bytes), "such as 8Gi"),
                Field("disk", .checked(.bytes), "of the checkout, such as 20Gi"),
            ]), "the agent's pod's share of its host"),
        Field(
            "on-exit", .checked(.oneOf(ExitPolicy.allCases.map(\.rawValue))),
            "what becomes of a session's work"),
        Field("keep-running", .bool, "whether the workspace keeps running when the last terminal is closed"),
        Field("idle-timeout", .checked(.idleTime), "how long it may be idle, such as 30m; never by default"),
        Field("user", .checked(.userNumbers), "uid:gid of the pod; the project's owner by default"),
        Field("runtime-class", .checked(.label), "the RuntimeClass of the pods, such as gvisor"),
        Field("cache", .bool, "whether downloads of packages are shared among sessions; only false is possible yet"),
    ]
}

extension TextRule {
    static let language = oneOf(Language.all.map(\.name))
    static let database = oneOf(Database.Kind.allCases.map(\.rawValue))
    static let tool: TextRule = {
        var rule = TextRule("a tool, or apt:PACKAGE; tools: \(Tool.all.map(\.name).joined(separator: ", "))") {
            Tool.named($0) != nil
        }
        rule.examples = Tool.all.map(\.name)
        return rule
    }()
    static let databasePlace = TextRule("host, or a version", pattern: "^(host|[0-9][A-Za-z0-9._-]*)$") {
        $0 == "host" || ($0.first?.isNumber == true && $0.utf8.allSatisfy(isTagByte))
    }
    static let amount = TextRule("an amount of US dollars, such as 5 or 2.50", pattern: "^[0-9]+(\\.[0-9]+)?$") {
        Double($0).map { $0 > 0 && $0.isFinite } ?? false
    }
    static let idleTime = TextRule("a time, such as 30m, 2h or 90s", pattern: "^[0-9]+[smhd]$") {
        seconds($0) != nil
    }
    static let userNumbers = TextRule("uid or uid:gid, such as 1000:1000", pattern: "^[0-9]+(:[0-9]+)?$") {
        PodUser($0) != nil
    }
    /// A DNS name, perhaps with `*.` before it; a bare `*` would be `deny-all: false`.
    static let egressName = TextRule("a host's DNS name, perhaps with *. before it; not an address") {
        hostName.accepts($0) && $0 != "*." && !$0.hasSuffix(".")
            // The egress passes names that lead to public addresses, and no addresses.
            && $0.split(separator: ".").last?.allSatisfy(\.isNumber) != true
    }
}

private func isTagByte(_ byte: UInt8) -> Bool {
    UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte) || "._-".utf8.contains(byte)
}

/// Seconds of `30m`; nil for what is not a time.
func seconds(_ text: String) -> Int? {
    guard let unit = text.last, let factor = ["s": 1, "m": 60, "h": 3600, "d": 86400][unit],
        let number = Int(text.dropLast()), (1...1_000_000).contains(number), text.first != "+"
    else { return nil }
    return number * factor
}

extension PodUser {
    /// Reads `1000` or `1000:1000`.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
        guard (1...2).contains(parts.count), let user = parts.first ?? nil, let group = parts.last ?? nil,
            !text.contains("+")
        else { return nil }
        self.init(user: Int(user), group: Int(group))
    }
}
