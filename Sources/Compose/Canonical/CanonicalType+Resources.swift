extension CanonicalType {
    private static let ipam: CanonicalType = .fields(
        [
            ("driver", .text),
            (
                "config",
                .list(
                    .object([
                        ("subnet", .text), ("gateway", .text), ("ip_range", .text), ("aux_addresses", .textMap),
                    ]))
            ),
            ("options", .textMap),
        ], ifEmpty: .keptInJSON)

    private static let network: CanonicalType = .object([
        ("name", .text), ("driver", .text), ("driver_opts", .textMap), ("ipam", ipam), ("external", .flag),
        ("internal", .flag), ("attachable", .flag), ("labels", .textMap), ("enable_ipv4", .keptFlag),
        ("enable_ipv6", .keptFlag),
    ])

    private static let volume: CanonicalType = .object([
        ("name", .text), ("driver", .text), ("driver_opts", .textMap), ("external", .flag), ("labels", .textMap),
    ])

    private static let fileObject: CanonicalType = .object([
        ("name", .text), ("file", .text), ("environment", .text), ("content", .text), ("external", .flag),
        ("labels", .textMap), ("driver", .text), ("driver_opts", .textMap), ("template_driver", .text),
    ])

    private static let model: CanonicalType = .object([
        ("name", .text), ("model", .text), ("context_size", .integer), ("runtime_flags", .texts),
    ])

    /// The sections of a project besides its name and services, in the order of docker compose.
    static let sections: [(String, CanonicalType)] = [
        ("networks", .map(network)), ("volumes", .map(volume)), ("secrets", .map(fileObject)),
        ("configs", .map(fileObject)), ("models", .map(model)),
    ]
}
