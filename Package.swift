// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// The release of the C library that is linked, as in `[2, 36]`.
let libraryVersion: [Int] = {
    var text = [CChar](repeating: 0, count: 64)
    confstr(Int32(_CS_GNU_LIBC_VERSION), &text, text.count)
    let version = text.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }
    return String(version).split(separator: " ").last?.split(separator: ".").compactMap { Int($0) } ?? []
}()

/// Packed relocations save 4 MB of every process; the loader reads them since glibc 2.36.
let relocations =
    libraryVersion.lexicographicallyPrecedes([2, 36]) ? [] : ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

func target(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings)
}

let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let collections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "so",
    products: [.executable(name: "so", targets: ["so"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CLibPQ", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        target("YAML", ["CLibYAML", collections]),
        target("SystemCrypto", ["COpenSSL"]),
        target("ExternalTools", ["CLinux", subprocess, system]),
        target("Compose", ["YAML", collections]),
        target("Specs", ["Compose", "SystemCrypto", "YAML", collections]),
        target("Stacks", ["Compose", "ExternalTools", "Specs", "YAML", collections]),
        target("KubernetesObjects", ["YAML"]),
        target("Rendering", ["Compose", "KubernetesObjects", "Specs", "SystemCrypto", "YAML", collections]),
        target(
            "KubernetesClient",
            ["ExternalTools", "SystemCrypto", "YAML", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL]),
        target(
            "Runtimes",
            [
                "CLinux", "Compose", "ExternalTools", "KubernetesClient", "KubernetesObjects", "Rendering", "Specs",
                "SystemCrypto", "YAML",
                asyncHTTPClient, collections, nioCore, nioHTTP1,
            ]),
        target(
            "Deployments",
            [
                "Compose", "ExternalTools", "KubernetesObjects", "Rendering", "Runtimes", "Specs", "Stacks",
                "SystemCrypto", "SystemNetwork", "YAML",
                collections,
            ]),
        target("SystemNetwork", []),
        target("Egress", ["SystemNetwork"]),
        // Runs in pods whose images are not ours: linked statically, and stripped, since each session's host loads it as an image.
        .executableTarget(
            name: "so-egress", dependencies: ["Egress", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL],
            swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(["-static-executable", "-Xlinker", "-s"]), .linkedLibrary("_FoundationCollections"),
                .linkedLibrary("_FoundationCShims"),
            ]),
        target("AgentLoop", ["CLinux", "Egress", "ExternalTools", "YAML", collections]),
        // Runs beside an agent, in images that are not ours: linked as so-egress is.
        .executableTarget(
            name: "so-agent", dependencies: ["AgentLoop"], swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(["-static-executable", "-Xlinker", "-s"]), .linkedLibrary("_FoundationCollections"),
                .linkedLibrary("_FoundationCShims"),
            ]),
        target(
            "Workspaces",
            [
                "AgentLoop", "Compose", "Deployments", "Egress", "ExternalTools", "Runtimes", "Specs", "SystemCrypto",
                "YAML",
                collections,
            ]),
        target(
            "Orchestrator",
            [
                "AgentLoop", "CLibPQ", "Deployments", "Egress", "ExternalTools", "KubernetesClient", "Runtimes",
                "Specs",
                "SystemCrypto",
                "Workspaces", "YAML",
                asyncHTTPClient, collections, grdb, httpTypes, hummingbird, logging, mustache, nioCore, nioHTTP1,
                nioPosix,
            ]),
        .executableTarget(
            name: "so",
            dependencies: [
                "AgentLoop", "Compose", "Deployments", "ExternalTools", "KubernetesObjects", "Orchestrator",
                "Rendering", "Runtimes", "Specs",
                "Stacks",
                "SystemCrypto",
                "Workspaces", "YAML",
                argumentParser, collections,
            ],
            swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(["-use-ld=lld"] + relocations, .when(configuration: .release))
            ]),
        .target(
            name: "TestSupport", dependencies: ["CLinux", subprocess, system], path: "Tests/TestSupport",
            swiftSettings: settings),
        tests("YAMLTests", ["YAML", "TestSupport", collections]),
        tests("SystemCryptoTests", ["SystemCrypto"], exclude: ["Recorded"]),
        tests("ExternalToolsTests", ["ExternalTools", "TestSupport"]),
        tests("ComposeTests", ["Compose", "SystemCrypto", "YAML", "TestSupport", collections], exclude: ["Recorded"]),
        tests("SpecsTests", ["Specs", "Compose", "YAML", "TestSupport", collections]),
        tests("StacksTests", ["Stacks", "Compose", "ExternalTools", "Specs", "YAML", "TestSupport", collections]),
        tests("KubernetesObjectsTests", ["KubernetesObjects", "TestSupport", "YAML"]),
        .target(
            name: "KubernetesTestSupport",
            dependencies: ["KubernetesClient", "TestSupport", "YAML", nioCore, nioHTTP1, nioPosix, nioSSL],
            path: "Tests/KubernetesTestSupport", exclude: ["Recordings"], swiftSettings: settings),
        tests("KubernetesClientTests", ["KubernetesClient", "KubernetesTestSupport", "YAML", "TestSupport"]),
        tests(
            "RenderingTests",
            ["Rendering", "Specs", "Stacks", "Compose", "KubernetesObjects", "YAML", "TestSupport", collections],
            exclude: ["Goldens", "compose-schema-keys.txt"]),
        tests(
            "DeploymentsTests",
            [
                "Deployments", "Rendering", "Runtimes", "Specs", "Stacks", "Compose", "ExternalTools",
                "KubernetesClient",
                "KubernetesObjects", "SystemCrypto",
                "KubernetesTestSupport", "YAML", "TestSupport", collections, nioCore, nioHTTP1, nioPosix,
            ]),
        tests("EgressTests", ["Egress"]),
        tests("AgentLoopTests", ["AgentLoop", "TestSupport", "YAML", collections]),
        tests(
            "WorkspacesTests",
            [
                "AgentLoop", "Workspaces", "Compose", "Deployments", "Egress", "ExternalTools", "KubernetesObjects",
                "Rendering", "Runtimes", "Specs", "SystemCrypto", "TestSupport", "YAML",
                collections,
            ]),
        tests(
            "OrchestratorTests",
            [
                "AgentLoop", "ExternalTools", "KubernetesClient", "KubernetesTestSupport", "Orchestrator", "Specs",
                "SystemCrypto", "TestSupport", "Workspaces", "YAML",
                asyncHTTPClient, collections, nioCore, nioHTTP1, nioPosix,
            ], exclude: ["Recorded"]),
        tests("Scenarios", ["TestSupport", "KubernetesTestSupport", "YAML"]),
    ]
)
