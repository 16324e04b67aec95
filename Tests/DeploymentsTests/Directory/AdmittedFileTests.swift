import Compose
import Glibc
import Specs
import TestSupport
import Testing

@testable import Deployments

/// Files that a container may change while the deployment is read.
@Suite struct AdmittedFileTests {
    private func deployment(in directory: String) throws -> DeploymentDirectory {
        let root = directory + "/d"
        try write("ours\n", to: root + "/config/p/file")
        try write("TOKEN: secret\n", to: root + "/.state/generated-secrets.yml")
        try write("key\n", to: directory + "/id_rsa")
        return DeploymentDirectory(
            root: root, identity: try Identity.new(stackName: "p", stackSource: root, target: .podman, toolVersion: "1")
        )
    }

    @Test func `what is opened decides, not what a look has found before`() async throws {
        try await withTemporaryDirectory { directory in
            let deployment = try deployment(in: directory)
            let tree = try deployment.fileTree()
            let path = deployment.root + "/config/p/file"
            #expect(try tree.read(path) == Array("ours\n".utf8))
            for target in ["\(directory)/id_rsa", "../../.state/generated-secrets.yml"] {
                let planted = deployment.root + "/config/p/planted"
                #expect(symlink(target, planted) == 0)
                #expect(throws: FileTreeError(.leadsElsewhere, path: planted)) { try tree.read(planted) }
                unlink(planted)
            }
            #expect(try tree.read(deployment.root + "/.state/generated-secrets.yml") == Array("TOKEN: secret\n".utf8))
            let allowing = try deployment.fileTree(allowing: [directory + "/id_rsa"])
            #expect(symlink(directory + "/id_rsa", deployment.root + "/config/p/allowed") == 0)
            #expect(try allowing.read(deployment.root + "/config/p/allowed") == Array("key\n".utf8))
        }
    }

    @Test func `a file and a link that change places never bring what the link leads to`() async throws {
        try await withTemporaryDirectory { directory in
            let deployment = try deployment(in: directory)
            let (path, other) = (deployment.root + "/config/p/file", deployment.root + "/config/p/other")
            let tree = try deployment.fileTree()
            let swapping = Task.detached {
                while !Task.isCancelled {
                    _ = symlink(directory + "/id_rsa", other)
                    _ = rename(other, path)
                    try? write("ours\n", to: other)
                    _ = rename(other, path)
                }
            }
            var read = 0
            while read < 1000 {
                // A file that is being written may be empty still.
                guard let bytes = try? tree.read(path), !bytes.isEmpty else { continue }
                #expect(bytes == Array("ours\n".utf8))
                read += 1
            }
            swapping.cancel()
            await swapping.value
        }
    }
}
