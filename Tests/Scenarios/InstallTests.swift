import FoundationEssentials
import TestSupport
import Testing

@Suite struct InstallTests {
    @Test
    func `install puts program, data, man page and completions below a prefix, twice, and uninstall takes them away`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            let prefix = sandbox.directory + "/prefix"
            let script = Shared.packageRoot + "/scripts/install"
            let files = [
                "bin/so", "bin/so-egress", "share/so/config/agents/claude-code.yml", "share/so/stacks/demo/stack.yml",
                "share/man/man1/so.1",
                "share/bash-completion/completions/so",
                "share/zsh/site-functions/_so", "share/fish/vendor_completions.d/so.fish",
            ]
            func install(_ more: String...) async throws -> Finished {
                try await run(
                    "bash", [script, "--prefix", prefix] + more, environment: sandbox.environment,
                    directory: sandbox.directory)
            }
            for _ in 1...2 {
                let installed = try await install("--binary", Sandbox.binary)
                #expect(installed.succeeded && installed.errors.contains("export PATH"), "\(installed)")
                for file in files { #expect(exists("\(prefix)/\(file)"), "\(file)") }
            }
            let listed = try await run(
                "\(prefix)/bin/so", ["list-stacks"], environment: sandbox.environment, directory: sandbox.directory)
            #expect(listed.output.contains("\ndemo "), "\(listed)")
            try write("mine", to: "\(prefix)/bin/other")
            let removed = try await install("--uninstall")
            #expect(removed.succeeded, "\(removed)")
            for file in files { #expect(!exists("\(prefix)/\(file)"), "\(file)") }
            #expect(exists("\(prefix)/bin/other"))
            #expect(try await !install("--uninstall").succeeded)
        }
    }

    @Test
    func `a Debian package and a tarball hold the program with its data, and name the libraries that it needs`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            let output = sandbox.directory + "/packages"
            let made = try await run(
                "bash", [Shared.packageRoot + "/scripts/package", "--output", output, "--binary", Sandbox.binary],
                environment: sandbox.environment, directory: sandbox.directory)
            try #require(made.succeeded, "\(made)")
            let files = try FileManager.default.contentsOfDirectory(atPath: output)
            let package = try #require(files.first { $0.hasSuffix(".deb") })
            let tarball = try #require(files.first { $0.hasSuffix(".tar.gz") })
            let control = try await run(
                "dpkg-deb", ["--field", "\(output)/\(package)", "Depends"], environment: sandbox.environment,
                directory: sandbox.directory)
            for library in ["libc6", "libyaml-0-2", "git"] { #expect(control.output.contains(library), "\(control)") }
            for (program, arguments) in [
                ("dpkg-deb", ["-x", "\(output)/\(package)", sandbox.directory + "/deb"]),
                ("tar", ["-xzf", "\(output)/\(tarball)", "-C", sandbox.directory]),
            ] {
                let unpacked = try await run(
                    program, arguments, environment: sandbox.environment, directory: sandbox.directory)
                #expect(unpacked.succeeded, "\(unpacked)")
            }
            for root in ["deb/usr", String(tarball.dropLast(".tar.gz".count))] {
                let listed = try await run(
                    "\(sandbox.directory)/\(root)/bin/so", ["list-stacks"], environment: sandbox.environment,
                    directory: sandbox.directory)
                #expect(listed.output.contains("\ndemo "), "\(listed)")
            }
        }
    }

    @Test func `a copied binary without its data says how it finds it`() async throws {
        try await withPodlessSandbox { sandbox in
            let copy = sandbox.directory + "/so"
            try FileManager.default.copyItem(atPath: Sandbox.binary, toPath: copy)
            let lost = try await run(
                copy, ["deploy", "init", "--stack", "demo", "--output", "s.yml"], environment: sandbox.environment,
                directory: sandbox.directory)
            #expect(lost.status == 66 && lost.errors.contains("SO_DATA_DIR"), "\(lost)")
            let found = try await run(
                copy, ["list-stacks"],
                environment: sandbox.environment.merging(["SO_DATA_DIR": Shared.packageRoot]) { $1 },
                directory: sandbox.directory)
            #expect(found.output.contains("demo"), "\(found)")
        }
    }

    @Test func `a stack's name leads to stacks below the working directory`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("name: shop\npods: [shop]\n", to: sandbox.directory + "/stacks/shop/stack.yml")
            try write(
                "services: {web: {image: none}}\n", to: sandbox.directory + "/compose/docker-compose-shop.yml")
            let valid = try await sandbox.so(["--stack", "shop", "deploy", "init", "--output", "s.yml"])
            #expect(valid.succeeded, "\(valid)")
            try write("stack: other\n", to: sandbox.directory + "/s.yml")
            let again = try await sandbox.so(["--stack", "shop", "deploy", "init", "--output", "s.yml"])
            #expect(again.errors.contains("kept the old one as s.yml.bak"), "\(again)")
        }
    }
}
