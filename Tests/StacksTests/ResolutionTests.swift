import Compose
import OrderedCollections
import TestSupport
import Testing
import YAML

@testable import Specs
@testable import Stacks

@Suite struct ResolutionTests {
    let files = [
        "/so/stacks/demo/stack.yml": "pods: [demo]\ncontainers: [so/demo]\n",
        "/so/compose/docker-compose-demo.yml": "services: {}\n",
        "/so/config/demo/page.env": "A=1\n",
        "/so/container-build/so-demo/build.sh": "",
        "/repos/github.com/org/one/stacks/shared/stack.yml": "description: one\n",
        "/repos/github.com/org/two/stack_orchestrator/data/stacks/shared/stack.yml": "description: two\n",
        "/repos/github.com/org/two/stack_orchestrator/data/stacks/only/stack.yml": "description: only\n",
        "/work/demo/stack.yml": "description: not this one\n",
        "/work/mine/stacks/own/stack.yml": "pods: [own, demo]\n",
        "/work/mine/compose/docker-compose-own.yaml": "services: {}\n",
    ]

    @Test func `a built-in name is not shadowed by a local directory`() throws {
        let stack = try resolver(tree(files)).resolve("demo")
        #expect(stack.source == .builtIn)
        #expect(stack.root == "/so")
        #expect(stack.pods.first?.composeFile == "/so/compose/docker-compose-demo.yml")
        #expect(stack.pods.first?.configDirectory == "/so/config/demo")
        #expect(stack.containers.first?.recipe == .script("/so/container-build/so-demo/build.sh"))
        #expect(stack.problems.isEmpty)
    }

    @Test func `a path names the directory even where a built-in stack has its name`() throws {
        #expect(try resolver(tree(files)).resolve("./demo").file.summary == "not this one")
    }

    @Test func `a stack finds what it borrows in the fetched repository of the predecessor`() throws {
        var files = files
        let data = "/repos/github.com/cerc-io/stack-orchestrator/stack_orchestrator/data"
        files["/work/mine/stacks/own/stack.yml"] = "pods: [own, lent]\ncontainers: [cerc/tool]\n"
        files[data + "/compose/docker-compose-lent.yml"] = "services: {}\n"
        files[data + "/config/lent/a"] = ""
        files[data + "/container-build/cerc-tool/build.sh"] = ""
        let stack = try resolver(tree(files)).resolve("mine/stacks/own")
        #expect(stack.problems.isEmpty, "\(stack.problems)")
        #expect(stack.pods.last?.composeFile == data + "/compose/docker-compose-lent.yml")
        #expect(stack.pods.last?.configDirectory == data + "/config/lent")
        #expect(stack.containers.first?.recipe == .script(data + "/container-build/cerc-tool/build.sh"))
    }

    @Test func `a pod's repository is the one that repos names`() throws {
        var files = files
        files["/work/mine/stacks/own/stack.yml"] =
            "repos: [git.example.org/org/app@v1]\npods: [{name: app, repository: org/app, path: .}]\n"
        let stack = try resolver(tree(files)).resolve("mine/stacks/own")
        #expect(try stack.neededRepositories().map(\.description) == ["git.example.org/org/app@v1"])
    }

    @Test func `an external stack finds its own files first and built-in ones else`() throws {
        let stack = try resolver(tree(files)).resolve("mine/stacks/own")
        #expect(stack.source == .external)
        let found = stack.pods.map(\.composeFile)
        #expect(found == ["/work/mine/compose/docker-compose-own.yaml", "/so/compose/docker-compose-demo.yml"])
    }

    @Test func `a fetched stack is found by name in each layout of a repository`() throws {
        let stack = try resolver(tree(files)).resolve("only")
        #expect(stack.source == .fetched("github.com/org/two"))
        #expect(stack.root == "/repos/github.com/org/two/stack_orchestrator/data")
    }

    @Test func `an ambiguous name lists its candidates`() throws {
        let error = #expect(throws: StackError.self) { try resolver(tree(files)).resolve("shared") }
        #expect(error?.code == .ambiguous)
        #expect(error?.description.contains("/repos/github.com/org/one/stacks/shared") == true)
        #expect(error?.description.contains("/repos/github.com/org/two/stack_orchestrator/data/stacks/shared") == true)
    }

    @Test func `an unknown name says what is near and what was searched`() throws {
        let error = #expect(throws: StackError.self) { try resolver(tree(files)).resolve("dmeo") }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("did you mean 'demo'?") == true)
        #expect(error?.description.contains("searched: /so/stacks") == true)
        #expect(error?.description.contains("searched: /repos (2 repositories)") == true)
    }

    @Test(arguments: ["../../etc", "a/../../b", "/nowhere", "", "a b", "-x", "a\u{0}b"])
    func `a hostile or absent name is refused`(name: String) throws {
        #expect(throws: StackError.self) { try resolver(tree(files)).resolve(name) }
    }

    @Test func `a missing compose file is named with its near match and its place`() throws {
        var files = files
        files["/so/stacks/bad/stack.yml"] = "pods:\n  - dem0\njobs:\n  - gone\n"
        let stack = try resolver(tree(files)).resolve("bad")
        #expect(stack.problems.map(\.description).first?.hasPrefix("/so/stacks/bad/stack.yml:2:5: error: ") == true)
        #expect(stack.problems.first?.hint == "did you mean 'demo'?")
        #expect(stack.problems.count == 2)
    }

    @Test func `every stack that a name can mean is listed with its description`() throws {
        let list = resolver(tree(files)).list()
        #expect(list.map(\.name) == ["demo", "shared", "only", "shared"])
        #expect(list.last?.summary == "two")
    }

    @Test func `the stacks below the working directory are listed where their names lead to them`() throws {
        var files = files
        files["/work/stacks/mine/stack.yml"] = "description: mine\n"
        files["/work/stacks/demo/stack.yml"] = "description: hidden by the built-in one\n"
        let resolver = resolver(tree(files))
        let list = resolver.list()
        #expect(list.map(\.name) == ["demo", "mine", "shared", "only", "shared"])
        #expect(try resolver.resolve("mine").directory == list[1].directory)
    }

    @Test func `hooks are executables, and one in Python takes the occasions that have none`() throws {
        var files = files
        files["/so/stacks/demo/hooks/init"] = "#!/bin/sh\n"
        files["/so/stacks/demo/hooks/start"] = "#!/bin/sh\n"
        files["/so/stacks/demo/hooks/creat"] = "#!/bin/sh\n"
        files["/so/stacks/demo/deploy/commands.py"] = "def init(): pass\n"
        let stack = try resolver(tree(files, executables: ["/so/stacks/demo/hooks/init"])).resolve("demo")
        let python = "/so/stacks/demo/deploy/commands.py"
        #expect(
            stack.hooks == [
                .initialize: "/so/stacks/demo/hooks/init", .setup: python, .create: python, .start: python,
            ])
        let problems = stack.problems.map(\.what)
        #expect(problems.contains { $0.hasSuffix("hooks/start is not executable") })
        #expect(problems.contains { $0.hasSuffix("hooks/creat is not a hook") })
        #expect(problems.contains { $0.contains("commands.py runs on this host, by python3") })
    }

    @Test(arguments: [
        ("repos: [git.vdb.to/org/hosting]", "/repos/git.vdb.to/org/hosting/gitea/docker-compose.yml"),
        ("", "/repos/github.com/org/hosting/gitea/docker-compose.yml"), ("", "/repos/hosting/gitea/docker-compose.yml"),
    ])
    func `a map pod is found in the clone that repos name, else on github, else in the flat layout`(
        repos: String, path: String
    ) throws {
        let stack =
            "\(repos)\npods:\n  - {name: gitea, repository: org/hosting, path: gitea, pre_start_command: run.sh}\n"
        let script = parentDirectory(path) + "/run.sh"
        let files = ["/so/stacks/s/stack.yml": stack, path: "services: {}\n", script: ""]
        let resolved = try resolver(tree(files)).resolve("s")
        #expect(resolved.problems.isEmpty)
        #expect(resolved.pods.first?.composeFile == path)
        #expect(resolved.pods.first?.preStartCommand == script)
    }

    @Test func `a map pod whose repository is not cloned says how to clone it`() throws {
        let files = ["/so/stacks/s/stack.yml": "pods: [{name: a, repository: org/x, path: .}]\n"]
        let stack = try resolver(tree(files)).resolve("s")
        #expect(stack.problems.first?.what.contains("/repos/github.com/org/x does not exist") == true)
        #expect(stack.problems.first?.hint == "clone it with `so setup-repositories --stack s`")
    }

    @Test func `a deployment directory is a root of its own`() throws {
        let files = [
            "/d/stack.yml": "pods: [{name: a, repository: org/x, path: ., post_start_command: go.sh}]\njobs: [j]\n",
            "/d/compose/docker-compose-a.yml": "services: {}\n",
            "/d/compose-jobs/docker-compose-j.yml": "services: {}\n",
            "/d/config/a/x": "", "/d/hooks/start": "", "/d/pods/a/scripts/go.sh": "",
        ]
        let stack = try ResolvedStack.deployment(
            directory: "/d", name: "app", tree: tree(files, executables: ["/d/hooks/start"]))
        #expect(stack.problems.isEmpty)
        #expect(stack.name == "app")
        #expect(stack.pods.first?.composeFile == "/d/compose/docker-compose-a.yml")
        #expect(stack.pods.first?.postStartCommand == "/d/pods/a/scripts/go.sh")
        #expect(stack.hooks == [.start: "/d/hooks/start"])
    }

    @Test func `a symbolic link that leads out of its root is refused`() async throws {
        try await withTemporaryDirectory { directory in
            try write("services: {}\n", to: directory + "/outside.yml")
            try write("pods: [a, b]\n", to: directory + "/root/stacks/s/stack.yml")
            try write("services: {}\n", to: directory + "/root/compose/real.yml")
            try link(directory + "/root/compose/docker-compose-a.yml", to: directory + "/outside.yml")
            try link(directory + "/root/compose/docker-compose-b.yml", to: "real.yml")
            let stack = try resolver(.disk, builtIn: nil, base: directory + "/none").resolve(
                directory + "/root/stacks/s")
            #expect(stack.pods.map { $0.composeFile == nil } == [true, false])
            #expect(stack.problems.contains { $0.what.contains("points outside") })
        }
    }

    @Test func `built-in data is found by variable, prefix and checkout`() throws {
        let files = [
            "/data/stacks/a/stack.yml": "", "/usr/share/so/stacks/a/stack.yml": "", "/src/stacks/a/stack.yml": "",
            "/src/Package.swift": "", "/usr/bin/so": "", "/src/.build/debug/so": "", "/other/so": "",
        ]
        let tree = tree(files)
        func root(_ environment: [String: String], _ executable: String) throws -> String? {
            try StackLocations(
                environment: environment, executable: executable, workingDirectory: "/", tree: tree
            ).builtInRoot
        }
        #expect(try root(["SO_DATA_DIR": "/data"], "/usr/bin/so") == "/data")
        #expect(try root([:], "/usr/bin/so") == "/usr/share/so")
        #expect(try root([:], "/src/.build/debug/so") == "/src")
        #expect(try root([:], "/other/so") == nil)
        #expect(throws: StackError.self) { try root(["SO_DATA_DIR": "/none"], "/usr/bin/so") }
    }

    @Test(arguments: [
        (["SO_REPO_BASE_DIR": "clones"], "/w/clones"), (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/so/repos"),
        (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/so/repos"),
        (["HOME": "/h"], "/h/.local/share/so/repos"),
    ])
    func `clones stand where the environment says`(environment: [String: String], base: String) throws {
        let locations = try StackLocations(
            environment: environment, executable: nil, workingDirectory: "/w", tree: tree([:]))
        #expect(locations.repositoryBase == base)
    }
}
