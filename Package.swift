// swift-tools-version: 6.2
import PackageDescription

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
    ],
    targets: [
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        target("YAML", ["CLibYAML", collections]),
        target("SystemCrypto", ["COpenSSL"]),
        target("ExternalTools", ["CLinux", subprocess, system]),
        target("Compose", ["YAML", collections]),
        target("Stacks", ["Compose", "ExternalTools", "SystemCrypto", "YAML", collections]),
        target("KubernetesObjects", ["YAML"]),
        target("Rendering", ["Compose", "KubernetesObjects", "Stacks", "SystemCrypto", "YAML", collections]),
        target(
            "KubernetesClient",
            ["ExternalTools", "SystemCrypto", "YAML", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL]),
        target(
            "Deployments",
            [
                "CLinux", "Compose", "ExternalTools", "KubernetesClient", "KubernetesObjects", "Rendering", "Stacks",
                "SystemCrypto", "YAML",
                collections, system,
            ]),
        target("Egress", []),
        // Runs in pods whose images are not ours: linked statically, and stripped, since each session's host loads it as an image.
        .executableTarget(
            name: "so-egress", dependencies: ["Egress", asyncHTTPClient, nioCore, nioHTTP1, nioPosix],
            swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(["-static-executable", "-Xlinker", "-s"]), .linkedLibrary("_FoundationCollections"),
                .linkedLibrary("_FoundationCShims"),
            ]),
        target(
            "Workspaces",
            ["Compose", "Deployments", "Egress", "ExternalTools", "Stacks", "SystemCrypto", "YAML", collections]),
        .executableTarget(
            name: "so",
            dependencies: [
                "Compose", "Deployments", "ExternalTools", "KubernetesObjects", "Rendering", "Stacks", "SystemCrypto",
                "Workspaces", "YAML",
                argumentParser, collections,
            ],
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: [subprocess, system], path: "Tests/TestSupport",
            swiftSettings: settings),
        tests("YAMLTests", ["YAML", "TestSupport", collections]),
        tests("SystemCryptoTests", ["SystemCrypto"]),
        tests("ExternalToolsTests", ["ExternalTools", "TestSupport"]),
        tests("ComposeTests", ["Compose", "SystemCrypto", "YAML", "TestSupport", collections], exclude: ["Recorded"]),
        tests("StacksTests", ["Stacks", "Compose", "ExternalTools", "YAML", "TestSupport", collections]),
        tests("KubernetesObjectsTests", ["KubernetesObjects", "YAML"]),
        .target(
            name: "KubernetesTestSupport",
            dependencies: ["KubernetesClient", "TestSupport", "YAML", nioCore, nioHTTP1, nioPosix, nioSSL],
            path: "Tests/KubernetesTestSupport", exclude: ["Recordings"], swiftSettings: settings),
        tests("KubernetesClientTests", ["KubernetesClient", "KubernetesTestSupport", "YAML", "TestSupport"]),
        tests(
            "RenderingTests",
            ["Rendering", "Stacks", "Compose", "KubernetesObjects", "YAML", "TestSupport", collections],
            exclude: ["Goldens", "compose-schema-keys.txt"]),
        tests(
            "DeploymentsTests",
            [
                "Deployments", "Rendering", "Stacks", "Compose", "ExternalTools", "KubernetesClient",
                "KubernetesObjects", "SystemCrypto",
                "KubernetesTestSupport", "YAML", "TestSupport", nioCore, nioHTTP1, nioPosix,
            ]),
        tests("EgressTests", ["Egress"]),
        tests(
            "WorkspacesTests",
            [
                "Workspaces", "Compose", "Deployments", "Egress", "ExternalTools", "Stacks", "TestSupport", "YAML",
                collections,
            ]),
        tests("Scenarios", ["TestSupport", "KubernetesTestSupport", "YAML"]),
    ]
)
