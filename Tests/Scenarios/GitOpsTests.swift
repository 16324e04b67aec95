import FoundationEssentials
import TestSupport
import Testing

/// `deployment restart` with a stack that lives in a real git repository, `update-envs` and `create --update`.
@Suite(.pods, .podmanOnly) struct GitOpsTests {
    /// A repository with the sandbox's stack, fetched.
    private struct World {
        let sandbox: Sandbox
        let remote: GitRepository

        init(_ sandbox: Sandbox, _ compose: String) async throws {
            self.sandbox = sandbox
            remote = try await GitRepository(sandbox.directory + "/forge/org/stack")
            try await commit(compose)
        }

        func commit(_ compose: String, _ more: [String: String] = [:]) async throws {
            let stack = sandbox.stack
            var files: [String: String?] = [
                "stacks/\(stack)/stack.yml": "pods: [\(stack)]\n",
                "compose/docker-compose-\(stack).yml": compose.replacing("IMAGE", with: sandbox.image),
            ]
            for (path, text) in more { files[path] = text }
            try await remote.commit(files)
        }

        func fetch(_ reference: String = "") async throws {
            try await sandbox.must("fetch-stack", "./forge/org/stack")
            if !reference.isEmpty { try await GitRepository.git(in: clone, ["checkout", "-q", reference]) }
        }

        var clone: String { "\(sandbox.directory)/home/.local/share/so/repos/localhost\(remote.directory)" }

        func create(_ spec: String = "") async throws {
            try write("stack: \(sandbox.stack)\ndeploy-to: podman\n" + spec, to: sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try await sandbox.mustDeployment("start")
        }
    }

    private func compose(_ services: String...) -> String { "services:\n" + services.joined(separator: "\n") }

    @Test func `restart pulls the stack's branch and replaces only what changed`() async throws {
        try await withSandbox { sandbox in
            let world = try await World(sandbox, compose(idle("one"), idle("two", "    environment: {A: before}")))
            try await world.fetch()
            try await world.create()
            let (one, two) = (try await sandbox.containers("one"), try await sandbox.containers("two"))
            try await world.commit(compose(idle("one"), idle("two", "    environment: {A: after}"), idle("three")))
            let restarted = try await sandbox.mustDeployment("update")
            #expect(restarted.errors.contains("updated"))
            #expect(restarted.errors.contains("replace  pod      \(sandbox.namespace)_two"), "\(restarted)")
            #expect(try await sandbox.containers("one") == one)
            #expect(try await sandbox.containers("two") != two)
            #expect(try await sandbox.inside("two", "sh", "-c", "echo $A") == "after")
            #expect(try await sandbox.containers("three").count == 1)
            let again = try await sandbox.mustDeployment("update")
            #expect(again.errors.contains("nothing to change"))
            try await world.commit(compose(idle("one")))
            try await sandbox.mustDeployment("update")
            #expect(try await sandbox.containers("two") == [])
            #expect(try await sandbox.containers("three") == [])
        }
    }

    @Test func `restart keeps a pinned commit, and local changes stop it before anything is touched`() async throws {
        try await withSandbox { sandbox in
            let world = try await World(sandbox, compose(idle("one", "    environment: {A: first}")))
            try await world.remote.git("tag", "v1")
            try await world.fetch("v1")
            try await world.create()
            try await world.commit(compose(idle("one", "    environment: {A: second}")))
            let pinned = try await sandbox.mustDeployment("update")
            #expect(pinned.errors.contains("is at no branch: nothing to pull"), "\(pinned)")
            #expect(try await sandbox.inside("one", "sh", "-c", "echo $A") == "first")
            try await GitRepository.git(in: world.clone, ["checkout", "-q", "main"])
            let file = "\(world.clone)/compose/docker-compose-\(sandbox.stack).yml"
            try write(read(file).replacing("first", with: "mine"), to: file)
            let refused = try await sandbox.deployment("update")
            #expect(refused.status == 1 && refused.errors.contains("local changes"), "\(refused)")
            #expect(try await sandbox.inside("one", "sh", "-c", "echo $A") == "first")
            try await sandbox.mustDeployment("update", "--no-pull")
            #expect(try await sandbox.inside("one", "sh", "-c", "echo $A") == "mine")
        }
    }

    @Test func `the spec of the repository goes before the deployment's own, and --spec-file before both`() async throws
    {
        try await withSandbox { sandbox in
            let services = compose(idle("one", "    environment: {A: \"${A:-none}\"}"))
            let world = try await World(sandbox, services)
            try await world.fetch()
            try await world.create("config: {A: own}\n")
            let spec = "stack: \(sandbox.stack)\ndeploy-to: podman\nconfig: {A: VALUE}\n"
            try await world.commit(
                services,
                [
                    "deployment/spec.yml": spec.replacing("VALUE", with: "tracked"),
                    "deployment/other.yml": spec.replacing("VALUE", with: "other"),
                ])
            try await sandbox.mustDeployment("update")
            #expect(try await sandbox.inside("one", "sh", "-c", "echo $A") == "tracked")
            try await sandbox.mustDeployment("update", "--spec-file", "deployment/other.yml")
            #expect(try await sandbox.inside("one", "sh", "-c", "echo $A") == "other")
            let missing = try await sandbox.deployment("update", "--spec-file", "deployment/none.yml")
            #expect(missing.status == 66, "\(missing)")
        }
    }

    @Test func `--image runs another image until it is taken back, and a restart replaces what did not change`()
        async throws
    {
        try await withSandbox { sandbox in
            let world = try await World(sandbox, compose(idle("one"), idle("two")))
            try await world.fetch()
            try await world.create()
            let other = "localhost/\(sandbox.token):other"
            try await Podman.run(["tag", sandbox.image, other])
            let unknown = try await sandbox.deployment("update", "--image", "none=\(other)")
            #expect(unknown.status == 66, "\(unknown)")
            try await sandbox.mustDeployment("update", "--image", "one=\(other)")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("ps").output.contains(other))
            let before = try await (sandbox.containers("one"), sandbox.containers("two"))
            try await sandbox.mustDeployment("restart")
            let after = try await (sandbox.containers("one"), sandbox.containers("two"))
            #expect(before.0 != after.0 && before.1 != after.1)
            try await sandbox.mustDeployment("update", "--image", "one=")
            #expect(!(try await sandbox.mustDeployment("ps").output.contains(other)))
            try await Podman.run(["rmi", other])
        }
    }

    @Test func `update-envs gives each service its own variables, and replaces only those that changed`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(
                compose(
                    idle("one", "    environment: {A: \"${A:-a}\", ONLY_ONE: \"1\"}"),
                    idle("two", "    environment: {B: \"${B:-b}\"}")),
                spec: "config: {A: first, B: stays}\n")
            try await sandbox.mustDeployment("start")
            let two = try await sandbox.containers("two")
            let spec = sandbox.deployment + "/spec.yml"
            try write(read(spec).replacing("first", with: "second"), to: spec)
            try await sandbox.mustDeployment("update-envs")
            #expect(try await sandbox.inside("one", "sh", "-c", "echo $A$ONLY_ONE$B") == "second1")
            #expect(try await sandbox.inside("two", "sh", "-c", "echo $A$ONLY_ONE$B") == "stays")
            #expect(try await sandbox.containers("two") == two)
            #expect(try read(sandbox.deployment + "/config.env").contains("A=second"))
            try await sandbox.mustDeployment("stop")
            try write(read(spec).replacing("second", with: "third"), to: spec)
            let stopped = try await sandbox.mustDeployment("update-envs")
            #expect(stopped.errors.contains("its next start takes the values over"))
            #expect(try await sandbox.containers("one") == [])
        }
    }

    @Test func `an update places the volumes of new pods, and keeps dropped ones until they are deleted`() async throws
    {
        try await withSandbox { sandbox in
            func files(_ names: String...) -> String {
                compose(names.map { idle($0, "    volumes: [\"\($0)-data:/data\"]") }.joined(separator: "\n"))
                    + "\nvolumes:\n" + names.map { "  \($0)-data:\n" }.joined()
            }
            try await sandbox.create(files("one"), spec: "volumes: {one-data: ./data/one-data}\n")
            try await sandbox.mustDeployment("start")
            try sandbox.writeStack(files("one", "two"))
            let added = try await sandbox.so([
                "deploy", "create", "--update", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
            ])
            #expect(added.errors.contains("two-data is new: its data goes to ./data/two-data"), "\(added)")
            try await sandbox.mustDeployment("start")
            try await sandbox.inside("two", "sh", "-c", "echo kept > /data/file")
            #expect(try read(sandbox.deployment + "/data/two-data/file") == "kept\n")
            try sandbox.writeStack(files("one"))
            let dropped = try await sandbox.mustDeployment("update")
            #expect(dropped.errors.contains("two-data (./data/two-data) is mounted by nothing any more"), "\(dropped)")
            #expect(try await sandbox.containers("two") == [])
            #expect(try read(sandbox.deployment + "/data/two-data/file") == "kept\n")
            try await sandbox.mustDeployment("stop", "--delete-volumes")
            #expect(!exists(sandbox.deployment + "/data/two-data/file"))
        }
    }
}
