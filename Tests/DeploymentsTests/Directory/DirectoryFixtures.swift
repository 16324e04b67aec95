import TestSupport

@testable import Deployments

/// A new directory that is removed with the value that holds it.
final class TemporaryRoot {
    let path: String

    init() throws {
        path = try makeTemporaryDirectory()
    }

    deinit {
        removeTree(path)
    }
}

extension Identity {
    /// An identity as create writes it.
    static let sample = Identity(
        deploymentID: "demo-0a1b2c3d", clusterID: "host-1", target: "podman", stackName: "demo",
        stackSource: "/stacks/demo", stackCommit: nil, toolVersion: "0.1.0")
}
