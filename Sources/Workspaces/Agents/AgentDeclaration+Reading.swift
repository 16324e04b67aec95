import AgentLoop
import Egress
import OrderedCollections
import Runtimes
package import Specs
import YAML

extension AgentDeclaration {
    /// Reads the declaration of an agent: `<directory>/<name>.yml` of the first directory that has one.
    ///
    /// - Parameter directories: the project's and the user's own, then the built-in one.
    /// - Throws: ``WorkspaceError``: `missing` with the nearest name, or `invalid` with every fault's place.
    package static func load(_ name: String, from directories: [String]) throws(WorkspaceError) -> AgentDeclaration {
        for directory in directories {
            let file = "\(directory)/\(name).yml"
            guard isFileName(name), let bytes = try? Files.readIfPresent(file) else { continue }
            return try parse(bytes, file: file)
        }
        let known = names(in: directories)
        let near = nearest(name, in: known).map { "did you mean \($0)? " } ?? ""
        throw WorkspaceError(
            .missing, "no agent `\(printable(name))`",
            hint: near + "there are \(known.joined(separator: ", ")); a new one is a file config/agents/<name>.yml")
    }

    /// The names of all agents that are declared, in order.
    package static func names(in directories: [String]) -> [String] {
        let files = directories.flatMap { (try? Files.list($0)) ?? [] }
        return Set(files.filter { $0.hasSuffix(".yml") }.map { String($0.dropLast(4)) }).sorted()
    }

    private static func isFileName(_ name: String) -> Bool { TextRule.name.accepts(name) }

    /// - Parameter file: named in diagnostics.
    package static func parse(_ bytes: [UInt8], file: String) throws(WorkspaceError) -> AgentDeclaration {
        do {
            let node = try loadYAMLDocument(bytes, file: file)
            var validation = Validation()
            validation.check(node, .agent, at: "")
            try validation.diagnostics.throwIfErrors()
            return AgentDeclaration(node)
        } catch {
            throw WorkspaceError(.invalid, "\(file) declares no agent", diagnostics: error.diagnostics)
        }
    }

    /// - Parameter node: one that the table has accepted.
    private init(_ node: Node) {
        name = node.text("name") ?? ""
        title = node.text("title") ?? name
        commands = Commands(node.value("commands"))
        environment = node.plainMap("environment")
        files = node.items("files").map { HomeFile(path: $0.text("path") ?? "", content: $0.text("content") ?? "") }
        output = node.text("output").flatMap { OutputFormat(rawValue: $0) } ?? .text
        stopSignal = node.text("stop-signal") ?? stopSignal
        loop = node.value("loop").map { OwnLoop($0) }
        allow = node.plainTexts("allow")
        let installation = node.value("install")
        install.packages = installation?.plainTexts("packages") ?? []
        install.run = installation?.plainTexts("run") ?? []
        providers = node.items("providers").map { ProviderDeclaration($0) }
        authentication = node.items("authentication").map { AuthenticationMode($0) }
    }
}

extension AgentDeclaration.Commands {
    fileprivate init(_ node: Node?) {
        interactive = node?.plainTexts("interactive") ?? []
        headless = node?.plainTexts("headless") ?? []
        resume = node?.value("resume").map { _ in node?.plainTexts("resume") ?? [] }
        headlessResume = node?.value("headless-resume").map { _ in node?.plainTexts("headless-resume") ?? [] }
    }
}

extension AgentDeclaration.OwnLoop {
    fileprivate init(_ node: Node) {
        tasking = node.text("tasking") ?? tasking
        reporting = node.text("reporting") ?? reporting
    }
}

extension AgentDeclaration.ProviderDeclaration {
    fileprivate init(_ node: Node) {
        name = node.text("name") ?? ""
        dialect = node.text("dialect").flatMap { Provider.Dialect(rawValue: $0) } ?? .openai
        upstream = node.text("upstream") ?? ""
    }
}

extension AgentDeclaration.AuthenticationMode {
    fileprivate init(_ node: Node) {
        variable = node.text("variable") ?? ""
        provider = node.text("provider") ?? ""
        headers = node.plainMap("headers")
    }
}

extension Node {
    fileprivate func plainTexts(_ key: String) -> [String] { texts(key).map(\.value) }

    fileprivate func plainMap(_ key: String) -> OrderedDictionary<String, String> { textMap(key).mapValues(\.value) }
}

extension Shape {
    /// The keys of config/agents/<name>.yml.
    package static let agent = Shape.fields([
        Field("name", .checked(.name), required: true, "the file's name"),
        Field("title", .text, "how people call it"),
        Field(
            "install",
            .fields([
                Field("packages", .list(.checked(.nonEmpty)), "packages of the distribution"),
                Field("run", .list(.checked(.nonEmpty)), "shell commands, run as root when the image is built"),
            ]), "its layer of the image"),
        Field(
            "commands",
            .fields([
                Field("interactive", .list(.text), required: true, "at a terminal"),
                Field("headless", .list(.text), required: true, "without one; `${PROMPT}` is the instruction"),
                Field("resume", .list(.text), "goes on with the last run at a terminal"),
                Field("headless-resume", .list(.text), "goes on without one"),
            ]), required: true, "argument lists"),
        Field("output", .checked(.oneOf(AgentDeclaration.OutputFormat.allCases.map(\.rawValue))), "what it prints"),
        Field(
            "loop",
            .fields([
                Field("tasking", .checked(.innerPath), "what it reads; .so/tasking.yaml by default"),
                Field("reporting", .checked(.innerPath), "what it writes; .so/reporting.yaml by default"),
            ]), "it works off an orchestrator's tasks by itself; without this key so-agent does"),
        Field("stop-signal", .checked(.nonEmpty), "ends it"),
        Field("environment", .mapping(.variable, .text), "variables of its pod"),
        Field(
            "files",
            .list(
                .fields([
                    Field("path", .checked(.innerPath), required: true, "relative to its home"),
                    Field("content", .text, required: true, "its text"),
                ])), "written before its first start"),
        Field(
            "providers",
            .list(
                .fields([
                    Field("name", .checked(.label), required: true, "its path at the egress"),
                    Field(
                        "dialect", .checked(.oneOf(Provider.Dialect.allCases.map(\.rawValue))), required: true,
                        "the form of its requests and answers"),
                    Field("upstream", .checked(.nonEmpty), required: true, "its URL"),
                ])), "who answers it"),
        Field(
            "authentication",
            .list(
                .fields([
                    Field("variable", .checked(.variable), required: true, "the variable that holds the credential"),
                    Field("provider", .checked(.label), required: true, "whose it is"),
                    Field("headers", .mapping(.nonEmpty, .text), required: true, "how it is shown"),
                ])), "ways to show who pays, the first that is there"),
        Field("allow", .list(.checked(.nonEmpty)), "names that it reaches besides"),
    ])
}
