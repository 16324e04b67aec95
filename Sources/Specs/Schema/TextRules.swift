extension TextRule {
    package static let nonEmpty = TextRule("a text that is not empty", pattern: "[\\s\\S]") { !$0.isEmpty }

    package static func oneOf(_ values: [String]) -> TextRule {
        var rule = TextRule("one of \(values.joined(separator: ", "))") { values.contains($0) }
        rule.values = values
        return rule
    }

    /// The name of a stack, pod, job, volume or service: it becomes a file's name and must not lead anywhere else.
    package static let name = TextRule(
        "a name of letters, digits, '.', '_' and '-' that begins with a letter or digit",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    ) {
        isName($0)
    }

    /// https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html
    package static let variable = TextRule(
        "a variable's name: letters, digits and '_', not beginning with a digit", pattern: "^[A-Za-z_][A-Za-z0-9_]*$"
    ) {
        isVariableName($0)
    }

    /// An image of `containers`: names joined by `/`.
    package static let imageName = TextRule("an image's name, such as org/name") { text in
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return !parts.isEmpty && parts.allSatisfy { isName(String($0)) }
    }

    /// RFC 1123: what a Kubernetes namespace may be called.
    package static let label = TextRule(
        "at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit",
        pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
    ) {
        isLabel($0)
    }

    /// RFC 1123, perhaps with `*.` before it.
    package static let hostName = TextRule("a host's DNS name, such as app.example.com") { text in
        let text = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.allSatisfy { isLabel($0.lowercased()) }
    }

    package static let servicePort = TextRule("a service and a port, such as web:8080", pattern: ":[0-9]+$") {
        RouteTarget($0) != nil
    }

    package static let urlPath = TextRule("a path that begins with '/'", pattern: "^/") {
        $0.hasPrefix("/") && !$0.contains(" ")
    }

    package static let absolutePath = TextRule("an absolute path", pattern: "^[/~]") {
        $0.hasPrefix("/") || $0 == "~" || $0.hasPrefix("~/")
    }

    /// A path inside a directory: relative, without `..`.
    package static let innerPath = TextRule("a relative path without '..'") { isInnerPath($0) }

    package static let cpus = TextRule("an amount of CPUs, such as 0.5 or 500m") { Quantity(cpus: $0) != nil }

    package static let bytes = TextRule("an amount of bytes, such as 512M or 5Gi") { Quantity(bytes: $0) != nil }

    package static let locator = TextRule("a repository, such as github.com/org/repo@ref") {
        RepositoryLocator($0) != nil
    }

    package static let address = TextRule("an IPv4 or IPv6 address") { isAddress($0) }
}
