import FoundationEssentials
import TestSupport
import Testing

/// `so up` and its kin, beside a compose file as docker compose has them.
@Suite(.pods, .podmanOnly) struct ProjectTests {
    /// Runs `so` in the project's folder or below it.
    private func project(
        _ sandbox: Sandbox, in folder: String = "", _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> Finished {
        let directory = "\(sandbox.directory)/p-\(sandbox.token)/\(folder)"
        return try await run(
            Sandbox.binary, arguments, environment: sandbox.environment.merging(environment) { $1 },
            directory: directory)
    }

    private func write(_ sandbox: Sandbox, _ compose: String) throws {
        try TestSupport.write(
            compose.replacing("IMAGE", with: sandbox.image),
            to: "\(sandbox.directory)/p-\(sandbox.token)/compose.yaml")
    }

    private let pair = """
        services:
          web:
            image: IMAGE
            command: ["sh", "-c", "echo web line; exec sleep 100000"]
            environment: {COLOUR: "${COLOUR:-none}", PASSED: }
            volumes: ["./src:/src", "./made/by/so:/made", "data:/data"]
            depends_on: [db]
            stop_grace_period: 0s
          db:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
          tool:
            profiles: [tools]
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
        volumes:
          data:
        """

    @Test func `up runs a compose project with the shell's variables and live folders, and down removes it`()
        async throws
    {
        try await withSandbox { sandbox in
            try write(sandbox, pair)
            let source = "\(sandbox.directory)/p-\(sandbox.token)/src/page"
            try TestSupport.write("one\n", to: source)
            let up = try await project(
                sandbox, "up", "-d", environment: ["COLOUR": "red", "PASSED": "on", "SO_UNRELATED": "private"])
            #expect(up.succeeded, "\(up)")
            // What runs keeps the variables of `up`, whichever shell asks; and only those that it reads are kept.
            let inside = try await project(
                sandbox, in: "src", "exec", "-T", "web", "sh", "-c", "echo $COLOUR $PASSED $SO_UNRELATED.")
            #expect(inside.output == "red on .\n", "\(inside)")
            try TestSupport.write("two\n", to: source)
            #expect(try await project(sandbox, "exec", "-T", "web", "cat /src/page").output == "two\n")
            #expect(try await project(sandbox, "exec", "-T", "web", "touch", "/src/back").succeeded)
            #expect(exists("\(sandbox.directory)/p-\(sandbox.token)/src/back"))
            #expect(exists("\(sandbox.directory)/p-\(sandbox.token)/made/by/so"))
            let again = try await project(sandbox, "up", "-d", environment: ["COLOUR": "red", "PASSED": "on"])
            #expect(again.succeeded && again.errors.contains("nothing to change"), "\(again)")
            let down = try await project(sandbox, "down", "-v")
            #expect(down.succeeded, "\(down)")
        }
    }

    @Test func `stop, start and restart take services, and ps lists what runs`() async throws {
        try await withSandbox { sandbox in
            try write(sandbox, pair)
            #expect(try await project(sandbox, "up", "--wait").succeeded)
            let pod = "so-p-\(sandbox.token)"
            #expect(try await project(sandbox, "ps", "-q").output == "\(pod)_web\n\(pod)_db\n")
            let before = try await Podman.lines("ps", "-q", "--filter", "name=\(pod)_")
            #expect(try await project(sandbox, "restart", "web").succeeded)
            let after = try await Podman.lines("ps", "-q", "--filter", "name=\(pod)_")
            #expect(Set(before).intersection(after).count == 1, "\(before) \(after)")
            #expect(try await project(sandbox, "stop", "web").succeeded)
            #expect(try await project(sandbox, "ps", "--services").output == "db\n")
            #expect(try await project(sandbox, "ps", "-a", "--services").output == "web\ndb\n")
            #expect(try await project(sandbox, "start").succeeded)
            #expect(try await project(sandbox, "ps", "--services").output == "web\ndb\n")
            let unknown = try await project(sandbox, "restart", "wbe")
            #expect(unknown.status == 66 && unknown.errors.contains("hint: did you mean web?"), "\(unknown)")
            #expect(try await project(sandbox, "down", "-v", "-t", "0").succeeded)
        }
    }

    @Test func `a service of a profile runs when it is named, and stays until it is stopped`() async throws {
        try await withSandbox { sandbox in
            try write(sandbox, pair)
            #expect(try await project(sandbox, "up", "-d", "tool").succeeded)
            let up = try await project(sandbox, "up", "-d")
            #expect(up.succeeded && !up.errors.contains("--remove-orphans"), "\(up)")
            #expect(try await project(sandbox, "ps", "--services").output.contains("tool"))
            #expect(try await project(sandbox, "up", "-d", "--remove-orphans").succeeded)
            #expect(try await project(sandbox, "ps", "--services").output.contains("tool"))
            #expect(try await project(sandbox, "stop", "tool").succeeded)
            #expect(try await !project(sandbox, "ps", "--services").output.contains("tool"))
            #expect(try await project(sandbox, "down", "-v").succeeded)
        }
    }

    @Test func `run makes a container of its own with the service's settings, and passes its exit code on`()
        async throws
    {
        try await withSandbox { sandbox in
            try write(sandbox, pair)
            let ran = try await project(
                sandbox, "run", "--rm", "-T", "-e", "EXTRA=x", "web", "sh", "-c",
                "echo $COLOUR $EXTRA; ls -d /data; exit 3",
                environment: ["COLOUR": "blue"])
            #expect(ran.status == 3 && ran.output == "blue x\n/data\n", "\(ran)")
            // What it depends on was started, itself was not.
            #expect(try await project(sandbox, "ps", "--services").output == "db\n")
            #expect(try await project(sandbox, "run", "-T", "--no-deps", "web", "true").succeeded)
            // A container that was kept goes with the project.
            #expect(try await project(sandbox, "down", "-v").succeeded)
        }
    }

    @Test func `images are built where they lack, and again with --build`() async throws {
        try await withSandbox { sandbox in
            try write(
                sandbox,
                """
                services:
                  app:
                    build: {context: ./image, args: {WORD: first}}
                    command: ["sh", "-c", "cat /word; exec sleep 100000"]
                    stop_grace_period: 0s
                """)
            let file = "\(sandbox.directory)/p-\(sandbox.token)/image/Dockerfile"
            try TestSupport.write("FROM \(sandbox.image)\nARG WORD\nRUN echo $WORD one > /word\n", to: file)
            let up = try await project(sandbox, "up", "-d")
            #expect(up.succeeded, "\(up)")
            #expect(try await project(sandbox, "logs", "app").output == "app | first one\n")
            try TestSupport.write("FROM \(sandbox.image)\nARG WORD\nRUN echo $WORD two > /word\n", to: file)
            #expect(try await project(sandbox, "up", "-d").errors.contains("nothing to change"))
            #expect(try await project(sandbox, "up", "-d", "--build").succeeded)
            #expect(try await project(sandbox, "logs", "app").output == "app | first two\n")
            #expect(try await project(sandbox, "down", "-v").succeeded)
            try await Podman.run(["rmi", "--force", "localhost/p-\(sandbox.token)-app"])
        }
    }

    @Test func `the hint for a missing image names a build only where there is one`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  built:
                    image: localhost/so-none-built:local
                    build: .
                  fetched:
                    image: localhost/so-none-fetched:local
                """)
            let start = try await sandbox.deployment("start")
            let lines = start.errors.split(separator: "\n").filter { $0.hasPrefix("hint: ") }
            #expect(
                lines.contains { $0.contains("so build-containers --stack \(sandbox.stackDirectory);") }, "\(start)")
            #expect(lines.contains { $0.hasPrefix("hint: correct the image's name, or fetch it") }, "\(start)")
        }
    }

    private let three = """
        services:
          web:
            image: IMAGE
            command: ["sleep", "100000"]
            depends_on: [db]
            stop_grace_period: 0s
          db:
            image: IMAGE
            command: ["sleep", "100000"]
            environment: {VALUE: "one"}
            stop_grace_period: 0s
        """

    private func ids(_ sandbox: Sandbox, _ service: String) async throws -> Set<String> {
        let pod = "so-p-\(sandbox.token)_\(service)"
        return Set(try await Podman.lines("ps", "-q", "--no-trunc", "--filter", "name=^\(pod)[._]"))
    }

    @Test func `up replaces what docker compose replaces, scales, and leaves dependencies alone where it is told to`()
        async throws
    {
        try await withSandbox { sandbox in
            try write(sandbox, three)
            #expect(try await project(sandbox, "up", "-d", "--no-deps", "web").succeeded)
            #expect(try await project(sandbox, "ps", "--services").output == "web\n")
            #expect(try await project(sandbox, "up", "-d", "--scale", "web=2").succeeded)
            var (web, db) = (try await ids(sandbox, "web"), try await ids(sandbox, "db"))
            #expect(web.count == 2 && db.count == 1)
            #expect(try await project(sandbox, "ps", "-q").output.split(separator: "\n").count == 3)
            // Only what is named is replaced, or only what it depends on.
            #expect(try await project(sandbox, "up", "-d", "--scale", "web=2", "--force-recreate", "db").succeeded)
            #expect(try await ids(sandbox, "web") == web)
            #expect(try await ids(sandbox, "db") != db)
            db = try await ids(sandbox, "db")
            let deps = ["up", "-d", "--scale", "web=2", "--always-recreate-deps", "web"]
            #expect(try await sandbox.so(["--file", "p-\(sandbox.token)/compose.yaml"] + deps).succeeded)
            #expect(try await ids(sandbox, "web") == web)
            #expect(try await ids(sandbox, "db") != db)
            db = try await ids(sandbox, "db")
            try write(sandbox, three.replacing("one", with: "two"))
            #expect(try await project(sandbox, "up", "-d", "--no-recreate").succeeded)
            #expect(try await ids(sandbox, "db") == db)
            web = try await ids(sandbox, "web")
            #expect(web.count == 1, "an up without --scale takes what the files say")
            #expect(try await project(sandbox, "up", "-d", "--pull", "never").succeeded)
            #expect(try await ids(sandbox, "db") != db)
            let unknown = try await project(sandbox, "up", "-d", "--scale", "wbe=2")
            #expect(unknown.status == 66 && unknown.errors.contains("wbe"), "\(unknown)")
            #expect(try await project(sandbox, "down", "-v").succeeded)
        }
    }

    @Test func `up ends with a container's end and exit code where it is told to`() async throws {
        try await withSandbox { sandbox in
            try write(
                sandbox,
                three + """

                      tests:
                        image: IMAGE
                        restart: "no"
                        command: ["sh", "-c", "sleep 2; echo tested; exit 7"]
                        depends_on: [db]
                    """)
            let up = try await project(sandbox, "up", "--exit-code-from", "tests")
            #expect(up.status == 7 && up.output.contains("tested"), "\(up)")
            #expect(try await project(sandbox, "ps", "-q").output == "", "everything was stopped")
            #expect(try await project(sandbox, "down", "-v").succeeded)
        }
    }

    @Test func `up and start end when they may wait no longer, and leave what runs`() async throws {
        try await withSandbox { sandbox in
            try write(
                sandbox,
                three + """

                      slow:
                        image: IMAGE
                        command: ["sleep", "100000"]
                        stop_grace_period: 0s
                        healthcheck: {test: ["CMD", "test", "-e", "/up"], interval: 1s, retries: 1000}
                    """)
            let up = try await project(sandbox, "up", "--wait-timeout", "3")
            #expect(up.status == 1 && up.errors.contains("not everything is ready after 3 s"), "\(up)")
            #expect(try await project(sandbox, "ps", "--services").output.contains("web\n"))
            let start = try await project(sandbox, "start", "--wait", "--wait-timeout", "2")
            #expect(start.status == 1 && start.errors.contains("after 2 s"), "\(start)")
            #expect(try await project(sandbox, "exec", "-T", "slow", "touch", "/up").succeeded)
            #expect(try await project(sandbox, "start", "--wait-timeout", "60").succeeded)
            #expect(try await project(sandbox, "stop", "web").succeeded)
            #expect(try await project(sandbox, "ps", "--status", "running", "--services").output == "db\nslow\n")
            #expect(try await project(sandbox, "ps", "--filter", "status=absent", "--services").output == "web\n")
            #expect(try await project(sandbox, "ps", "--status", "flying").status == 64)
            #expect(try await project(sandbox, "down", "-v", "-t", "0").succeeded)
        }
    }

    @Test func `down needs no compose file that can be read, and removes images where it is told to`() async throws {
        try await withSandbox { sandbox in
            let built =
                "services:\n  app:\n    build: ./image\n    command: [sleep, '100000']\n    stop_grace_period: 0s\n"
            try TestSupport.write(
                "FROM \(sandbox.image)\nENV A=\(sandbox.token)\n",
                to: "\(sandbox.directory)/p-\(sandbox.token)/image/Dockerfile")
            try write(sandbox, built + "    volumes: [data:/data]\nvolumes: {data: }\n")
            #expect(try await project(sandbox, "up", "-d").succeeded)
            try write(sandbox, "services: [\n")
            let broken = try await project(sandbox, "down", "-v")
            #expect(broken.succeeded, "\(broken)")
            #expect(try await Podman.named(sandbox.token).filter { !$0.hasPrefix("image") } == [])

            try write(sandbox, built)
            #expect(try await project(sandbox, "up", "-d").succeeded)
            let down = try await project(sandbox, "down", "--rmi", "local")
            #expect(down.succeeded && down.errors.contains("deleted image p-\(sandbox.token)-app"), "\(down)")

            #expect(try await project(sandbox, "up", "-d").succeeded)
            removeTree("\(sandbox.directory)/p-\(sandbox.token)/compose.yaml")
            let gone = try await project(sandbox, in: "image", "down")
            #expect(gone.succeeded, "\(gone)")
            #expect(try await Podman.named(sandbox.token).filter { !$0.hasPrefix("image") } == [])
            try await Podman.run(["rmi", "--force", "localhost/p-\(sandbox.token)-app"])
        }
    }

    @Test func `an attached up prints the logs and ends with the project's end`() async throws {
        try await withSandbox { sandbox in
            try write(
                sandbox,
                """
                services:
                  app:
                    image: IMAGE
                    restart: "no"
                    command: ["sh", "-c", "echo a line of app"]
                """)
            let up = try await project(sandbox, "up")
            #expect(up.succeeded && up.output.contains("a line of app"), "\(up)")
            #expect(try await project(sandbox, "down", "-v").succeeded)
        }
    }

    @Test func `projects of one name in two folders run side by side, and a chosen name is one project's`() async throws
    {
        try await withSandbox { sandbox in
            let compose = "services:\n" + idle("app").replacing("IMAGE", with: sandbox.image)
            let name = "p-\(sandbox.token)"
            for folder in ["one", "two"] {
                try TestSupport.write(compose, to: "\(sandbox.directory)/\(folder)/\(name)/compose.yaml")
                let file = "\(folder)/\(name)/compose.yaml"
                let up = try await sandbox.so(["-f", file, "up", "-d"])
                #expect(up.succeeded, "\(up)")
            }
            let first = try await sandbox.so(["-f", "one/\(name)/compose.yaml", "ps", "-q"]).output
            let second = try await sandbox.so(["-f", "two/\(name)/compose.yaml", "ps", "-q"]).output
            #expect(first != second && !first.isEmpty && !second.isEmpty, "\(first) \(second)")
            let taken = try await sandbox.so(["-f", "two/\(name)/compose.yaml", "-p", name, "up", "-d"])
            #expect(taken.status == 77, "\(taken)")
            for folder in ["one", "two"] {
                try await sandbox.must("-f", "\(folder)/\(name)/compose.yaml", "down", "-v")
            }
        }
    }
}

/// What needs no pods.
@Suite struct CommandLineTests {
    @Test func `mistyped verbs and options get the nearest, in our own form`() async throws {
        try await withPodlessSandbox { sandbox in
            for (words, hint) in [
                (["deployment", "statsu"], "did you mean `so deployment status`?"),
                (["deployment", "log"], "did you mean `so deployment logs`?"),
                (["deployment", "--dir", "here", "statsu"], "did you mean `so deployment status`?"),
                (["--dir", "here", "deployment", "statsu"], "did you mean `so deployment status`?"),
                (["up", "--detahc"], "did you mean --detach?"), (["statsu"], "did you mean `so deployment status`?"),
            ] {
                let finished = try await sandbox.so(words)
                #expect(finished.status == 64 && finished.errors.hasPrefix("error: so "), "\(finished)")
                #expect(finished.errors.hasSuffix("\nhint: \(hint)\n"), "\(finished)")
            }
            let lacking = try await sandbox.so(["deploy", "create"])
            #expect(lacking.status == 64 && lacking.errors.hasPrefix("error: missing expected argument"), "\(lacking)")
            #expect(lacking.errors.contains("hint: so deploy create --help"), "\(lacking)")
        }
    }

    @Test func `options of the predecessor stand before the verb, and what replaces them is told`() async throws {
        try await withPodlessSandbox { sandbox in
            let excluded = try await sandbox.so(["deploy", "--stack", "demo", "--exclude", "a", "up"])
            #expect(excluded.status == 64 && excluded.errors.contains("name the services instead"), "\(excluded)")
            let named = try await sandbox.so(["deploy", "--cluster", "Not A Name", "--stack", "demo", "ps"])
            #expect(!named.succeeded && named.errors.contains("Not A Name"), "\(named)")
            let prepare = try await sandbox.so(["deployment", "prepare", "--skip-cluster-management"])
            #expect(prepare.status == 64 && prepare.errors.contains("so deployment plan"), "\(prepare)")
        }
    }

    @Test func `verbs and options of the predecessor that are gone say what takes their place`() async throws {
        try await withPodlessSandbox { sandbox in
            for (words, hint) in [
                (["build-npms", "--include", "a"], "so build-containers"), (["run-webapp"], "so deploy-webapp create"),
                (["publish-deployment-auction"], "so does not support auctions and registries"),
                (["update"], "scripts/install"), (["setup-repositories", "--continue-on-error"], "leave it out"),
                (["deployment", "restart", "--config-file", "f"], "config.env"),
                (["deploy-system", "up"], "so deploy\n"),
                (["k8s", "list", "cluster"], "so cluster status"),
            ] {
                let finished = try await sandbox.so(words)
                #expect(finished.status == 64 && finished.errors.contains("\nhint: "), "\(finished)")
                #expect(finished.errors.contains(hint), "\(finished)")
            }
        }
    }

    @Test func `verbs of docker compose that are not there say what takes their place`() async throws {
        try await withPodlessSandbox { sandbox in
            for (verb, hint) in [
                ("cp", "so deployment cp"), ("build", "so up --build"), ("scale", "so up -d --scale SERVICE=NUMBER"),
                ("events", "so logs --follow"),
            ] {
                let finished = try await sandbox.so(["-f", "compose.yaml", verb, "web"])
                #expect(finished.status == 64 && finished.errors.contains("so has no command \(verb)\n"), "\(finished)")
                #expect(finished.errors.contains("\nhint: \(hint)"), "\(finished)")
            }
        }
    }

    @Test func `without a stack, repositories and images of all stacks are meant`() async throws {
        try await withPodlessSandbox { sandbox in
            let repositories = try await sandbox.so(["setup-repositories", "--check-only"])
            #expect(repositories.succeeded, "\(repositories)")
            let images = try await sandbox.so(["build-containers", "--dry-run"])
            #expect(images.succeeded && images.output.contains("build"), "\(images)")
            let one = try await sandbox.so(["build-containers", "--include", "so/demo", "--dry-run"])
            #expect(one.succeeded && one.output.split(separator: "\n").count == 1, "\(one)")
            let none = try await sandbox.so(["build-containers", "--include", "so/nosuch", "--dry-run"])
            #expect(none.status == 66 && none.errors.contains("no stack has an image so/nosuch"), "\(none)")
        }
    }

    @Test func `without a project, verbs say what is missing`() async throws {
        try await withPodlessSandbox { sandbox in
            let none = try await sandbox.so(["ps"])
            #expect(none.status == 66 && none.errors.contains("hint: go to where compose.yaml is"), "\(none)")
            try write("services: {web: {image: none}}", to: sandbox.directory + "/compose.yaml")
            let logs = try await sandbox.so(["logs"])
            #expect(logs.status == 66 && logs.errors.contains("hint: so up"), "\(logs)")
            #expect(try await sandbox.so(["down"]).succeeded)
        }
    }

    @Test func `the deployment is the one that you are in, then SO_DEPLOYMENT_DIR`() async throws {
        try await withPodlessSandbox { sandbox in
            let none = try await sandbox.so(["deployment", "config"])
            #expect(none.status == 64 && none.errors.contains("SO_DEPLOYMENT_DIR"), "\(none)")
            try sandbox.writeStack("services:\n  app:\n    image: IMAGE\n    environment: {A: b}\n")
            try sandbox.writeSpec()
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let named = try await sandbox.so(
                ["deployment", "config"], environment: ["SO_DEPLOYMENT_DIR": sandbox.deployment])
            #expect(named.output.contains("app"), "\(named)")
            let inside = try await run(
                Sandbox.binary, ["deployment", "config"], environment: sandbox.environment,
                directory: sandbox.deployment + "/compose")
            #expect(inside.output == named.output, "\(inside)")
        }
    }
}
