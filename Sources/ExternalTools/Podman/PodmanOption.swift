/// One option of podman's, or docker's, with what a stack may have written in its value.
///
/// Podman takes most values apart again: lists at commas, mounts at commas and `=`, volumes at colons. A path such as `/x,source=other` would then
/// be an option of its own. Each maker here writes one of these forms so that exactly the given parts are read back, and refuses a part that
/// the form cannot hold. There is no other way to make one, and containers take nothing else.
///
/// Source: podman 4.3, cmd/podman/common/create.go (`StringArrayVar` is taken whole, `StringSliceVar` is a line of CSV) and
/// pkg/specgenutil/volumes.go (mounts are split at commas before 4.7, and read as CSV since).
package struct PodmanOption: Hashable, Sendable {
    /// With its dashes.
    package let name: String
    /// As podman is given it; nil for a switch.
    package let value: String?
    /// Whether the address is to be the network's gateway, which is known only when the network exists.
    package let wantsGateway: Bool

    private init(_ name: String, _ value: String?, wantsGateway: Bool = false) {
        self.name = name
        self.value = value
        self.wantsGateway = wantsGateway
    }

    /// `--init`.
    package static func flag(_ name: String) -> PodmanOption { PodmanOption(name, nil) }

    /// A value that is taken as a whole: `--env`, `--label`, `--user`, `--workdir`, `--security-opt`, `--network`, numbers.
    package static func whole(_ name: String, _ value: String) -> PodmanOption { PodmanOption(name, value) }

    /// One element of a list: `--add-host`, `--cap-add`, `--device`, `--dns-search`, `--group-add`, `--publish`, `--sysctl`, `--ulimit`.
    package static func element(_ name: String, _ value: String) -> PodmanOption { PodmanOption(name, csv(value)) }

    /// Parts with colons between, as one element of a list: `--device` source, target and access, `--add-host` name and address.
    package static func element(_ name: String, parts: [String]) throws(UnwritablePart) -> PodmanOption {
        .element(name, try colons(parts))
    }

    /// Parts with colons between, taken as a whole: `--volume` source, target and flags.
    package static func places(_ name: String, _ parts: [String]) throws(UnwritablePart) -> PodmanOption {
        PodmanOption(name, try colons(parts))
    }

    /// `--mount type=image,source=…,destination=…`, `--secret name,type=…`: fields with commas between; an empty key stands for a bare value.
    package static func fields(
        _ name: String, _ fields: [(key: String, value: String)]
    ) throws(UnwritablePart) -> PodmanOption {
        var texts: [String] = []
        for (key, value) in fields {
            // Quotes mean something to the newer podman, and nothing to the older one.
            guard !value.utf8.contains(where: { $0 == comma || $0 == quote || isControl($0) }) else {
                throw UnwritablePart(part: value)
            }
            texts.append(key.isEmpty ? value : "\(key)=\(value)")
        }
        return PodmanOption(name, texts.joined(separator: ","))
    }

    /// `--add-host`; nil stands for the network's gateway.
    ///
    /// - Parameter address: IPv4 or IPv6; podman splits at the first colon, which is the name's end.
    package static func host(_ name: String, address: String?) throws(UnwritablePart) -> PodmanOption {
        let text = try colons([name]) + ":" + (address ?? "host-gateway")
        return PodmanOption("--add-host", csv(text), wantsGateway: address == nil)
    }

    /// The same with the gateway's address put in.
    package func resolved(gateway: String) -> PodmanOption {
        guard wantsGateway, let value else { return self }
        return PodmanOption(name, value.replacing(suffix: "host-gateway", with: gateway))
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    private static func colons(_ parts: [String]) throws(UnwritablePart) -> String {
        for part in parts where part.utf8.contains(where: { $0 == UInt8(ascii: ":") || isControl($0) }) {
            throw UnwritablePart(part: part)
        }
        return parts.joined(separator: ":")
    }

    /// RFC 4180, as Go's encoding/csv reads it.
    private static func csv(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 != comma && $0 != quote && !isControl($0) }
        return isPlain && !text.isEmpty ? text : "\"" + text.replacing(every: "\"", with: "\"\"") + "\""
    }
}

/// A part of an option that podman would read back as something else.
package struct UnwritablePart: Error, Hashable, Sendable {
    package let part: String

    package init(part: String) { self.part = part }
}

extension [PodmanOption] {
    /// For podman's command line.
    package var arguments: [String] { flatMap { [$0.name] + ($0.value.map { [$0] } ?? []) } }
}

extension String {
    fileprivate func replacing(suffix: String, with other: String) -> String {
        let quoted = suffix + "\""
        if hasSuffix(quoted) { return String(dropLast(quoted.count)) + other + "\"" }
        return hasSuffix(suffix) ? String(dropLast(suffix.count)) + other : self
    }

    fileprivate func replacing(every one: String, with other: String) -> String {
        split(separator: one, omittingEmptySubsequences: false).joined(separator: other)
    }
}
