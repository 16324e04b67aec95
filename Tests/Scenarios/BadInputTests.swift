import FoundationEssentials
import TestSupport
import Testing

/// One piece of bad input: what it is, and what must be said about it.
private struct BadInput: Sendable, CustomTestStringConvertible {
    var name: String
    var compose = "services:\n  app:\n    image: IMAGE\n"
    var spec = ""
    var stackFile = ""
    /// Said as a warning: the deployment is created.
    var isWarning = false
    /// Each must be in the message; `:3:` is a line.
    var says: [String]
    var testDescription: String { name }
}

@Suite struct BadInputTests {
    private static let compose = [
        BadInput(
            name: "an unknown service key", compose: "services:\n  app:\n    imagee: x\n",
            says: ["STACK.yml:3:", "imagee", "image"]),
        BadInput(
            name: "a key twice", compose: "services:\n  app:\n    image: a\n    image: b\n",
            says: ["STACK.yml:4:", "image"]),
        BadInput(
            name: "a tab for indentation", compose: "services:\n  app:\n\timage: a\n",
            says: ["STACK.yml:3:"]),
        BadInput(
            name: "an open interpolation", compose: "services:\n  app:\n    image: ${\n",
            says: ["STACK.yml:3:", "${"]),
        BadInput(
            name: "a required variable that is not set",
            compose: "services:\n  app:\n    image: IMAGE\n    hostname: ${NAME:?say who you are}\n",
            says: ["STACK.yml:4:", "NAME", "say who you are"]),
        BadInput(
            name: "a dependency on nothing",
            compose: "services:\n  app:\n    image: IMAGE\n    depends_on: [dba]\n  db:\n    image: IMAGE\n",
            says: ["STACK.yml:4:", "dba", "db"]),
        BadInput(
            name: "services that wait for each other",
            compose:
                "services:\n  a:\n    image: IMAGE\n    depends_on: [b]\n  b:\n    image: IMAGE\n    depends_on: [a]\n",
            says: ["STACK.yml:", "a → b → a"]),
        BadInput(
            name: "a volume that is not declared",
            compose: "services:\n  app:\n    image: IMAGE\n    volumes: [\"dta:/data\"]\nvolumes:\n  data:\n",
            says: ["STACK.yml:4:", "dta"]),
        BadInput(
            name: "a port above 65535",
            compose: "services:\n  app:\n    image: IMAGE\n    ports:\n      - \"99999:80\"\n",
            says: ["STACK.yml:5:", "99999"]),
        BadInput(
            name: "a duration that is none",
            compose:
                "services:\n  app:\n    image: IMAGE\n    healthcheck:\n      test: [\"CMD\", \"true\"]\n      interval: soon\n",
            says: ["STACK.yml:6:", "soon"]),
        BadInput(
            name: "a list where a map belongs", compose: "services:\n  - app\n", says: ["STACK.yml:"]),
        BadInput(
            name: "neither image nor build", compose: "services:\n  app:\n    command: [\"true\"]\n",
            says: ["STACK.yml:2:", "image"]),
        BadInput(
            name: "a secret that is not declared",
            compose: "services:\n  app:\n    image: IMAGE\n    secrets: [absent]\n",
            says: ["STACK.yml:4:", "absent"]),
        BadInput(
            name: "an env_file that is absent",
            compose: "services:\n  app:\n    image: IMAGE\n    env_file: [absent.env]\n",
            says: ["STACK.yml:4:", "absent.env"]),
        BadInput(
            name: "a bind out of the stack's root",
            compose: "services:\n  app:\n    image: IMAGE\n    env_file: [../../../../../../etc/hostname]\n",
            says: ["STACK.yml:4:"]),
        BadInput(
            name: "names that fall together in DNS",
            compose: "services:\n  my_app:\n    image: IMAGE\n  my-app:\n    image: IMAGE\n",
            says: ["STACK.yml:", "my_app", "my-app"]),
        BadInput(
            name: "aliases that would grow to billions",
            compose:
                "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                + "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
                + "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\nservices: {app: {image: x}}\n",
            says: ["STACK.yml:"]),
    ]

    private static let spec = [
        BadInput(name: "an unknown spec key", spec: "confg:\n  A: b\n", says: ["spec.yml:3:", "confg", "config"]),
        BadInput(
            name: "a generator that does not exist", spec: "config:\n  A: $generate:md5:8$\n",
            says: ["spec.yml:4:", "md5", "hex", "base64", "alnum", "uuid"]),
        BadInput(
            name: "ports for a service that does not exist",
            spec: "network:\n  ports:\n    ap:\n      - \"8080\"\n", isWarning: true,
            says: ["spec.yml:5:", "warning", "ap", "app"]),
        BadInput(
            name: "a volume path for a volume that does not exist", spec: "volumes:\n  dta: ./data\n", isWarning: true,
            says: ["spec.yml:4:", "warning", "dta"]),
        BadInput(
            name: "a namespace that Kubernetes refuses", spec: "namespace: Not_A_Name\n",
            says: ["spec.yml:3:", "Not_A_Name"]),
        BadInput(
            name: "a quantity that is none", spec: "resources:\n  containers:\n    limits:\n      memory: much\n",
            says: ["spec.yml:6:", "much"]),
        BadInput(
            name: "a route to a service that does not exist",
            spec:
                "network:\n  http-proxy:\n    - host-name: a.example.com\n      routes:\n        - path: /\n          proxy-to: ap:80\n",
            says: ["spec.yml:8:", "ap:80", "app"]),
        BadInput(
            name: "a credentials file that is absent", spec: "credentials-files:\n  - absent.env\n",
            says: ["spec.yml:4:", "absent.env"]),
        BadInput(
            name: "an override with an unknown key", spec: "overrides:\n  services:\n    app:\n      imagee: x\n",
            says: ["spec.yml:6:", "imagee"]),
        BadInput(name: "an unknown key in stack.yml", stackFile: "podz: []\n", says: ["stack.yml:5:", "podz", "pods"]),
        BadInput(
            name: "a job whose file is absent", stackFile: "jobs: [absent]\n",
            says: ["stack.yml:5:", "absent"]),
        BadInput(
            name: "a job named out of the root", stackFile: "jobs: [../../../etc/passwd]\n", says: ["stack.yml:5:"]),
    ]

    @Test(.podmanOnly, arguments: compose + spec)
    private func `it is told with its place and the hint, and nothing is half written`(input: BadInput) async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(input.compose, stackFile: input.stackFile)
            try sandbox.writeSpec(input.spec)
            let before = try FileManager.default.contentsOfDirectory(atPath: sandbox.directory).sorted()
            let failed = try await sandbox.so(
                ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment])
            #expect(failed.status == (input.isWarning ? 0 : 65), "\(failed)")
            for part in input.says {
                let part = part.replacing("STACK", with: sandbox.stack)
                #expect(failed.errors.contains(part), "`\(part)` is not said: \(failed)")
            }
            #expect(failed.output == "", "diagnostics are for stderr")
            if input.isWarning { return }
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.directory).sorted() == before)
        }
    }

    @Test func `all problems of one input are reported at once`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(
                "services:\n  a:\n    imagee: x\n  b:\n    image: IMAGE\n    comand: x\n    ports: [\"99999:1\"]\n")
            try sandbox.writeSpec("confg: {}\nnamespce: x\n")
            let failed = try await sandbox.so(
                ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment])
            #expect(failed.errors.contains("confg") && failed.errors.contains("namespce"), "\(failed)")
            try sandbox.writeSpec()
            let compose = try await sandbox.so(
                ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment])
            for part in ["imagee", "comand", "99999"] { #expect(compose.errors.contains(part), "\(part): \(compose)") }
        }
    }

    @Test func `a null section is an empty one`() async throws {
        try await withPodlessSandbox { sandbox in
            try await sandbox.create(
                "services:\n  app:\n    image: IMAGE\n    environment:\n    ports:\n    volumes:\nvolumes:\nnetworks:\n",
                spec: "config:\nnetwork:\nvolumes:\nresources:\nsecrets:\n")
        }
    }

    @Test(arguments: [
        (["frobnicate"], 64, "frobnicate"), (["deploy", "create"], 64, "--spec-file"),
        (["deploy", "create", "--spec-file", "absent.yml"], 66, "absent.yml"),
        (["deploy", "init", "--output", "x.yml"], 64, "--stack"),
        (["--stack", "no-such-stack", "deploy", "init", "--output", "x.yml"], 66, "no-such-stack"),
        (["--stack", "../../etc", "deploy", "init", "--output", "x.yml"], 66, "etc"),
        (["deployment", "--dir", "absent", "start"], 66, "absent"),
        (["deployment", "--dir", "home", "start"], 66, "home"),
        (["render", "-f", "absent.yml"], 66, "absent.yml"),
        (["deploy", "create", "--spec-fil", "x"], 64, "--spec-fil"),
        (["--stack", "demo", "deploy", "init", "--output", "x.yml", "--config", "novalue"], 64, "novalue"),
        (
            ["--stack", "demo", "deploy", "init", "--output", "x.yml", "--map-ports-to-host", "everywhere"], 64,
            "everywhere"
        ),
        (["--stack", "demo", "deploy", "init", "--output", "x.yml", "--deploy-to", "nomad"], 64, "nomad"),
        (["--stack", "demo", "deploy", "init", "--output", "no/such/directory/x.yml"], 73, "no/such/directory"),
    ])
    func `a wrong command ends with its documented exit code and names what is wrong`(
        arguments: [String], code: Int, says: String
    ) async throws {
        try await withPodlessSandbox { sandbox in
            let failed = try await sandbox.so(arguments)
            #expect(failed.status == code, "\(failed)")
            #expect(failed.errors.contains(says), "\(failed)")
            #expect(!exists(sandbox.directory + "/x.yml"))
        }
    }

    @Test(arguments: [".env", "compose.yml", "compose.override.yml"])
    func `a pipe in the place of a file is named, and not waited for`(_ name: String) async throws {
        try await withSandbox { sandbox in
            let folder = sandbox.directory + "/project"
            try write("services:\n  a:\n    image: i\n", to: folder + "/compose.yml")
            removeTree(folder + "/" + name)
            _ = try await run("mkfifo", [folder + "/" + name], environment: sandbox.environment)
            let config = try await run(Sandbox.binary, ["config"], environment: sandbox.environment, directory: folder)
            #expect(config.status == 65 && config.errors.contains("\(name) is not a regular file"), "\(config)")
        }
    }

    @Test func `what a file names begins no line, and turns none around`() async throws {
        try await withSandbox { sandbox in
            let folder = sandbox.directory + "/project"
            let labels = #"{"a\nerror: all is lost\u202Ec": d}"#
            try write("services:\n  a:\n    image: i\n    labels: \(labels)\n", to: folder + "/compose.yml")
            let rendered = try await run(
                Sandbox.binary, ["render"], environment: sandbox.environment, directory: folder)
            #expect(rendered.errors.contains(#"a\nerror: all is lost\u{202e}c"#), "\(rendered)")
        }
    }
}
