import Glibc
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

@Suite struct DirectoryUpdateTests {
    let temporary: TemporaryRoot
    let directory: DeploymentDirectory

    init() throws {
        temporary = try TemporaryRoot()
        let root = "\(temporary.path)/deployment"
        directory = DeploymentDirectory(root: root, identity: .sample)
        try write(["config.env": "A=1\n", "compose/a.yml": "a", "config/pod/run.sh": "echo 1"], to: root)
        try directory.writeManifest(of: root)
        try Files.makeDirectory("\(root)/data/db")
        try Files.write(Array("rows".utf8), to: "\(root)/data/db/table")
    }

    @Test func `an update that brings nothing new changes nothing`() throws {
        try stage(["config.env": "A=1\n", "compose/a.yml": "a", "config/pod/run.sh": "echo 1"])
        #expect(try directory.planUpdate().isEmpty)
    }

    @Test func `what a killed write left is removed by the next command`() throws {
        let left = "\(directory.stateDirectory)/manifest.yml.so-4711-123456"
        try Files.write([1], to: left)
        try directory.recover()
        #expect(!Files.exists(left))
        #expect(Files.exists("\(directory.stateDirectory)/manifest.yml"))
    }

    @Test(.timeLimit(.minutes(1))) func `a named pipe in the place of a file is refused instead of waited for`() throws
    {
        let pipe = "\(directory.root)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: DeploymentError.self) { try Files.read(pipe) }
    }

    @Test func `a replaced file is kept beside the new one`() throws {
        try update(["config.env": "A=2\n", "compose/a.yml": "a", "config/pod/run.sh": "echo 1"])
        #expect(try text("config.env") == "A=2\n")
        #expect(try text("config.env.bak") == "A=1\n")
        #expect(!Files.exists("\(directory.root)/compose/a.yml.bak"))
    }

    @Test func `a second update overwrites a backup of our own but never an edit`() throws {
        try update(["config.env": "A=2\n"])
        try update(["config.env": "A=3\n"])
        #expect(try text("config.env.bak") == "A=2\n")
        try Files.write(Array("A=mine\n".utf8), to: "\(directory.root)/config.env")
        try update(["config.env": "A=4\n"])
        try update(["config.env": "A=5\n"])
        #expect(try text("config.env.bak") == "A=mine\n")
        #expect(try text("config.env.bak.1") == "A=4\n")
    }

    @Test func `a dropped file goes and its edit stays`() throws {
        try Files.write(Array("echo mine".utf8), to: "\(directory.root)/config/pod/run.sh")
        try update(["config.env": "A=1\n"])
        #expect(!Files.exists("\(directory.root)/compose"))
        #expect(!Files.exists("\(directory.root)/config/pod/run.sh"))
        #expect(try text("config/pod/run.sh.bak") == "echo mine")
    }

    @Test func `data is never touched`() throws {
        try update(["data/db/table": "overwritten", "config.env": "A=1\n"])
        #expect(try text("data/db/table") == "rows")
    }

    @Test func `directories that services or the operator own are left alone`() throws {
        try write(["configmaps/web/page": "mine", "compose/app/upload": "rows"], to: directory.root)
        try stage(["config.env": "A=1\n", "compose/a.yml": "a", "configmaps/web/page": "the stack's"])
        try directory.apply(directory.planUpdate(owned: ["configmaps/web", "compose/app"]))
        #expect(try text("configmaps/web/page") == "mine")
        #expect(try text("compose/app/upload") == "rows")
    }

    @Test func `files of a directory that services write to follow the stack as long as nobody changed them`() throws {
        try createBound(["rules/a": "1", "rules/b": "1", "rules/c": "1", "rules/gone": "1", "rules/kept": "1"])
        try write(["rules/b": "mine", "rules/kept": "mine", "rules/made": "by the service"], to: directory.root)
        let update = try bind(["rules/a": "2", "rules/b": "2", "rules/c": "1", "rules/new": "1"])
        #expect(update.installed.sorted() == ["rules/a", "rules/new"])
        #expect(update.removed == ["rules/gone"])
        #expect(update.kept.keys.sorted() == ["rules/b", "rules/kept"])
        #expect(try text("rules/a") == "2")
        #expect(try text("rules/b") == "mine")
        #expect(try text("rules/kept") == "mine")
        #expect(try text("rules/made") == "by the service")
        #expect(!Files.exists("\(directory.root)/rules/gone"))
        #expect(!Files.exists("\(directory.root)/rules/a.bak"), "a service must not find backups")
        #expect(try directory.manifest().writtenDigest(of: "rules") != nil)
    }

    @Test func `an edit that the stack does not meet is neither replaced nor named`() throws {
        try createBound(["rules/a": "1"])
        try write(["rules/a": "mine"], to: directory.root)
        let update = try bind(["rules/a": "1"])
        #expect(!update.hasNews)
        #expect(try text("rules/a") == "mine")
    }

    @Test func `a link that a service put into its directory leads no file out of it`() throws {
        try createBound(["rules/sub/a": "1"])
        try Files.makeDirectory("\(temporary.path)/elsewhere")
        try Files.write(Array("1".utf8), to: "\(temporary.path)/elsewhere/a")
        try Files.remove("\(directory.root)/rules/sub")
        #expect(symlink("\(temporary.path)/elsewhere", "\(directory.root)/rules/sub") == 0)
        let update = try bind(["rules/sub/a": "2", "rules/sub/b": "2"])
        #expect(update.installed.isEmpty)
        #expect(update.kept.keys.sorted() == ["rules/sub/a", "rules/sub/b"])
        #expect(try Files.list("\(temporary.path)/elsewhere") == ["a"])
    }

    private func createBound(_ files: [String: String]) throws {
        try write(files, to: directory.root)
        try Files.remove("\(directory.stateDirectory)/manifest.yml")
        try directory.writeManifest(of: directory.root, owned: ["rules"], seeds: seeds(files))
    }

    /// An update whose bound directory `rules` holds these files.
    private func bind(_ files: [String: String]) throws -> DirectoryUpdate {
        try stage(files.merging(["config.env": "A=1\n", "compose/a.yml": "a", "config/pod/run.sh": "echo 1"]) { $1 })
        let update = try directory.planUpdate(owned: ["rules"], seeds: seeds(files))
        try directory.apply(update)
        return update
    }

    private func seeds(_ files: [String: String]) -> [DeploymentFile] {
        files.keys.sorted().map { path in
            var seed = DeploymentFile(path: path, content: .copy("/stack/\(path)"))
            seed.followsStack = true
            return seed
        }
    }

    @Test func `an update that was killed before its plan is forgotten`() throws {
        try stage(["config.env": "A=2\n"])
        try directory.recover()
        #expect(try text("config.env") == "A=1\n")
        #expect(!Files.exists("\(directory.stateDirectory)/update"))
    }

    @Test(arguments: 0...3) func `an update that was killed in midway is finished by the next command`(installed: Int)
        throws
    {
        try stage(["config.env": "A=2\n", "compose/b.yml": "b", "new/deep/file": "c"])
        let plan = try directory.planUpdate()
        try directory.commit(plan)
        for path in plan.installed.prefix(installed) {
            try Files.makeDirectory(Files.parent(of: "\(directory.root)/\(path)"))
            try Files.rename("\(directory.stagingDirectory)/\(path)", to: "\(directory.root)/\(path)")
        }
        try directory.recover()
        #expect(try text("config.env") == "A=2\n")
        #expect(try text("compose/b.yml") == "b")
        #expect(try text("new/deep/file") == "c")
        #expect(!Files.exists("\(directory.root)/compose/a.yml"))
    }

    private func update(_ files: [String: String]) throws {
        try stage(files)
        try directory.apply(directory.planUpdate())
    }

    private func stage(_ files: [String: String]) throws {
        try write(files, to: directory.stagingDirectory)
    }

    private func write(_ files: [String: String], to root: String) throws {
        for (path, content) in files {
            try Files.makeDirectory(Files.parent(of: "\(root)/\(path)"))
            try Files.write(Array(content.utf8), to: "\(root)/\(path)")
        }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Files.read("\(directory.root)/\(path)"), as: UTF8.self)
    }
}
