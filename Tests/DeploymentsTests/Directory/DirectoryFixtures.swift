import FoundationEssentials

@testable import Deployments

/// A new directory below the system's temporary one; the operating system clears it.
func temporaryDirectory() throws -> String {
    let path = "\(FileManager.default.temporaryDirectory.path)/so-test-\(UUID().uuidString)"
    try Files.makeDirectory(path)
    return path
}

extension Identity {
    /// An identity as create writes it.
    static let sample = Identity(
        deploymentID: "demo-0a1b2c3d", clusterID: "host-1", target: "podman", stackName: "demo",
        stackSource: "/stacks/demo", stackCommit: nil, toolVersion: "0.1.0")
}
