import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods) struct OwnershipTests {
    @Test func `a copy of a deployment directory may not touch the pods of the original, a moved one may`() async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try await sandbox.mustDeployment("start")
            let running = try await sandbox.containers("app")
            let copy = sandbox.directory + "/copy"
            _ = try await run("cp", ["-a", sandbox.deployment, copy], environment: Podman.environment)
            for verb in ["stop", "start"] {
                let refused = try await sandbox.so(["deployment", "--dir", copy, verb])
                #expect(refused.status == 77 && refused.errors.contains(sandbox.deployment), "\(refused)")
            }
            #expect(try await sandbox.containers("app") == running)
            try FileManager.default.removeItem(atPath: copy)
            try FileManager.default.moveItem(atPath: sandbox.deployment, toPath: copy)
            let again = try await sandbox.so(["deployment", "--dir", copy, "start"])
            #expect(again.succeeded && again.errors.contains("nothing to change"), "\(again)")
            try FileManager.default.moveItem(atPath: copy, toPath: sandbox.deployment)
        }
    }

    @Test(.podmanOnly) func `a copy without the hidden files may not touch the pods or volumes of the original either`()
        async throws
    {
        try await withSandbox { sandbox in
            let app = "services:\n" + idle("app", "    volumes: [\"kept:/kept\"]\n") + "volumes:\n  kept:\n"
            try await sandbox.create(app)
            try await sandbox.mustDeployment("start")
            let running = try await sandbox.containers("app")
            let before = try await Podman.named(sandbox.token)
            let copy = sandbox.directory + "/copy"
            let copied = try await run(
                "bash", ["-c", "mkdir $2 && cp -r $1/* $2/", "copy", sandbox.deployment, copy],
                environment: Podman.environment)
            #expect(copied.succeeded, "\(copied)")
            for verb in [["stop", "--delete-volumes"], ["plan"], ["start"]] {
                let refused = try await sandbox.so(["deployment", "--dir", copy] + verb)
                #expect(refused.status == 77 && refused.errors.contains(sandbox.deployment), "\(refused)")
            }
            #expect(try await sandbox.containers("app") == running)
            #expect(try await Podman.named(sandbox.token) == before)
            try FileManager.default.moveItem(atPath: sandbox.deployment, toPath: sandbox.directory + "/moved")
            let moved = try await sandbox.so(["deployment", "--dir", sandbox.directory + "/moved", "start"])
            #expect(moved.succeeded && moved.errors.contains("nothing to change"), "\(moved)")
            try FileManager.default.moveItem(atPath: sandbox.directory + "/moved", toPath: sandbox.deployment)
        }
    }

    @Test(.podmanOnly) func `a pod or a container of the same name that so did not make is left alone`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            let pod = sandbox.namespace + "_app"
            let kinds = [
                (pod, ["pod", "create", "--infra=false", "--name", pod], ["pod", "rm", pod]),
                (pod + "_app", ["create", "--name", pod + "_app", sandbox.image], ["rm", pod + "_app"]),
            ]
            for (name, creation, removal) in kinds {
                let made = try await Podman.run(creation)
                let refused = try await sandbox.deployment("start")
                #expect(made.succeeded && refused.status == 77 && refused.errors.contains(name), "\(refused)")
                let removed = try await Podman.run(removal)
                #expect(removed.succeeded, "it is still there: \(removed)")
                try await sandbox.mustDeployment("stop")
            }
            try await sandbox.mustDeployment("start")
        }
    }

    @Test func `a deployment reached by a symbolic link is the same deployment`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("app", "    volumes: [\"kept:/kept\"]\n") + "volumes:\n  kept:\n",
                spec: "volumes:\n  kept: ./data/kept\n")
            let link = sandbox.directory + "/a link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.deployment)
            try await sandbox.mustDeployment("start")
            let again = try await sandbox.so(["deployment", "--dir", link, "start"])
            #expect(again.succeeded && again.errors.contains("nothing to change"), "\(again)")
        }
    }

    @Test(.podmanOnly) func `an update keeps the stack and the target of a deployment`() async throws {
        try await withPodlessSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try write("stack: \(sandbox.stackDirectory)\ndeploy-to: k8s-kind\n", to: sandbox.specFile)
            let refused = try await sandbox.so(
                [
                    "deploy", "create", "--update", "--spec-file", sandbox.specFile, "--deployment-dir",
                    sandbox.deployment,
                ])
            #expect(refused.status == 65 && refused.errors.contains("podman"), "\(refused)")
        }
    }

    @Test(.podmanOnly) func `a changed namespace never starts on empty volumes, and leaves no network behind`()
        async throws
    {
        try await withSandbox { sandbox in
            let app = "services:\n" + idle("app", "    volumes: [\"kept:/kept\"]\n") + "volumes:\n  kept:\n"
            try await sandbox.create(app)
            try await sandbox.mustDeployment("start")
            try sandbox.writeSpec("namespace: other-\(sandbox.token)\n")
            try await sandbox.update()
            let refused = try await sandbox.deployment("start")
            #expect(refused.status == 77 && refused.errors.contains("namespace: \(sandbox.namespace)"), "\(refused)")
            #expect(try await sandbox.containers("app").count == 1)
            try await sandbox.mustDeployment("stop", "--delete-volumes")
            #expect(try await Podman.named(sandbox.token) == [])
        }
    }

    @Test(.podmanOnly) func `--delete-volumes keeps a volume whose path was written as an absolute one`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("app", "    volumes: [\"mine:/mine\", \"own:/own\"]\n")
                    + "volumes:\n  mine:\n  own:\n",
                spec: "volumes:\n  mine: \(sandbox.deployment)/data/mine\n  own: ./data/own\n")
            try await sandbox.mustDeployment("start")
            try await sandbox.inside("app", "sh", "-c", "echo 1 >/mine/file; echo 2 >/own/file")
            try await sandbox.mustDeployment("stop", "--delete-volumes")
            #expect(try read(sandbox.deployment + "/data/mine/file") == "1\n")
            #expect(!exists(sandbox.deployment + "/data/own"))
        }
    }
}
