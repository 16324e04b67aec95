extension Shape {
    /// The keys of stack.yml.
    static let stack = Shape.fields([
        Field("version", .text, "the stack's version; informative"),
        Field("name", .checked(.nonEmpty), "the stack's name; informative, its directory's name counts"),
        Field("description", .text, "what the stack is"),
        Field("repos", .list(.checked(.locator)), "repositories to clone"),
        Field("containers", .list(.checked(.imageName)), "images to build"),
        Field("npms", .list(.checked(.nonEmpty)), "npm packages to build"),
        Field("pods", .list(.scalarOr(.checked(.name), pod)), "compose files, by name"),
        Field("jobs", .list(.scalarOr(.checked(.name), job)), "compose files that run to completion, by name"),
        Field(
            "config", .mapping(.name, .mapping(.variable, .checked(.exportedVariable))),
            "values that services export to others"),
        Field("stacks", .list(.checked(.nonEmpty)), "other stacks that belong to this one"),
    ])

    private static let pod = Shape.fields([
        Field("name", .checked(.name), required: true, "the pod's name"),
        Field("repository", .checked(.podRepository), "the repository that holds the compose file"),
        Field("path", .checked(.innerPath), "the compose file's directory in the repository"),
        Field("pre_start_command", .checked(.innerPath), "a script beside the compose file, run before the start"),
        Field("post_start_command", .checked(.innerPath), "a script beside the compose file, run after the start"),
        Field("colocate", .bool, "whether the services share one pod"),
    ])

    private static let job = Shape.fields([Field("name", .checked(.name), required: true, "the job's name")])
}

extension TextRule {
    static let exportedVariable = TextRule("a service and its variable, such as laconicd.mykey") {
        StackFile.ConfigSource($0) != nil
    }

    /// `repo`, `org/repo` or `host/org/repo`.
    static let podRepository = TextRule("a repository, such as org/repo") { text in
        isName(text) || RepositoryLocator(text).map { $0.reference == nil } ?? false
    }
}

extension StackFile.ConfigSource {
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, isName(parts[0]), isVariableName(parts[1]) else { return nil }
        self.init(service: parts[0], variable: parts[1])
    }
}
