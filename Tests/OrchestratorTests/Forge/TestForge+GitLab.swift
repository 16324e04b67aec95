import FoundationEssentials
import Orchestrator
import YAML

extension TestForgeState {
    func gitlabReply(
        _ request: ForgeTestRequest, _ name: String, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        switch "\(request.method) \(path.first ?? "")" {
        case "GET ":
            return ForgeTestReply(
                .map([
                    ("id", .number(repository.id)), ("path_with_namespace", .string(name)),
                    ("default_branch", .string("main")),
                ]))
        case "GET members":
            let levels = ["read": 20, "write": 30, "admin": 40]
            let wanted = request.query["query"] ?? ""
            let found = repository.permissions.filter { $0.key.contains(wanted) }
            return ForgeTestReply(
                .list(
                    found.sorted { $0.key < $1.key }.map {
                        .map([("username", .string($0.key)), ("access_level", .number(levels[$0.value] ?? 0))])
                    }))
        case "GET issues", "POST issues", "PUT issues":
            return gitlabIssueReply(request, name, Array(path.dropFirst()), &repository)
        case "GET merge_requests", "POST merge_requests":
            return mergeReply(request, name, Array(path.dropFirst()), &repository)
        case "GET repository":
            let checks = repository.checks[path[2]] ?? []
            return ForgeTestReply(
                .list(
                    checks.map {
                        .map([
                            ("name", .string($0.name)),
                            ("status", .string($0.conclusion == "failure" ? "failed" : $0.conclusion)),
                        ])
                    }))
        default: return .notFound
        }
    }

    private func gitlabIssueReply(
        _ request: ForgeTestRequest, _ name: String, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        if path.isEmpty {
            let wanted = request.query["labels"] ?? ""
            let found = repository.issues.values.filter { $0.isOpen && $0.labels.contains(wanted) }
            return ForgeTestReply(.list(found.sorted { $0.number < $1.number }.map { gitlabIssue(name, $0) }))
        }
        guard let number = Int(path[0]), var issue = repository.issues[number] else { return .notFound }
        defer { repository.issues[number] = issue }
        switch "\(request.method) \(path.dropFirst().joined(separator: "/"))" {
        case "GET ": return ForgeTestReply(gitlabIssue(name, issue))
        case "PUT ":
            if let added = request.json.at("add_labels")?.text { issue.labels.append(added) }
            if let removed = request.json.at("remove_labels")?.text { issue.labels.removeAll { $0 == removed } }
            return ForgeTestReply(gitlabIssue(name, issue))
        case "GET notes":
            return ForgeTestReply(.list(repository.comments.filter { $0.issue == number }.map(noteNode)))
        case "POST notes":
            let note = Comment(
                id: next(), issue: number, author: TestForge.login, body: request.json.words("body"))
            repository.comments.append(note)
            return ForgeTestReply(noteNode(note), status: 201)
        case "GET resource_label_events":
            return ForgeTestReply(
                .list(
                    issue.labelled.enumerated().map {
                        .map([
                            ("id", .number($0 + 1)), ("action", .string($1.isSet ? "add" : "remove")),
                            ("label", .map([("name", .string($1.label))])),
                            ("user", .map([("username", .string($1.by))])),
                        ])
                    }))
        case _ where request.method == "PUT" && path.count == 3 && path[1] == "notes":
            guard let place = repository.comments.firstIndex(where: { "\($0.id)" == path[2] }) else { return .notFound }
            repository.comments[place].body = request.json.words("body")
            repository.comments[place].edits += 1
            return ForgeTestReply(noteNode(repository.comments[place]))
        default: return .notFound
        }
    }

    private func mergeReply(
        _ request: ForgeTestRequest, _ name: String, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        if request.method == "POST" {
            let head = request.json.words("source_branch")
            if repository.pulls.contains(where: { $0.head == head && $0.isOpen && !$0.isFork }) {
                return ForgeTestReply(
                    .map([
                        (
                            "message",
                            .list([.string("Another open merge request already exists for this source branch")])
                        )
                    ]),
                    status: 409)
            }
            let pull = Pull(
                number: Int(next()), title: request.json.words("title"), body: request.json.words("description"),
                head: head, base: request.json.words("target_branch"))
            repository.pulls.append(pull)
            return ForgeTestReply(mergeNode(name, repository, pull), status: 201)
        }
        if path.isEmpty {
            let found = repository.pulls.filter { $0.head == request.query["source_branch"] }
            return ForgeTestReply(.list(found.map { mergeNode(name, repository, $0) }))
        }
        guard let pull = repository.pulls.first(where: { "\($0.number)" == path[0] }) else { return .notFound }
        return ForgeTestReply(mergeNode(name, repository, pull))
    }

    private func gitlabIssue(_ name: String, _ issue: Issue) -> Node {
        .map([
            ("iid", .number(issue.number)), ("title", .string(issue.title)), ("description", .string(issue.body)),
            ("state", .string(issue.isOpen ? "opened" : "closed")), ("labels", .list(issue.labels.map { .string($0) })),
            ("web_url", .string("\(web)/\(name)/-/issues/\(issue.number)")),
            ("author", .map([("username", .string(issue.author))])),
        ])
    }

    private func noteNode(_ note: Comment) -> Node {
        .map([
            ("id", .number(note.id)), ("body", .string(note.body)),
            ("author", .map([("username", .string(note.author))])),
        ])
    }

    private func mergeNode(_ name: String, _ repository: Repository, _ pull: Pull) -> Node {
        .map([
            ("iid", .number(pull.number)),
            ("state", .string(pull.isMerged ? "merged" : pull.isOpen ? "opened" : "closed")),
            ("source_branch", .string(pull.head)), ("target_branch", .string(pull.base)),
            ("sha", .string(String(repeating: "a", count: 40))),
            ("source_project_id", .number(pull.isFork ? 666 : repository.id)),
            ("target_project_id", .number(repository.id)),
            ("web_url", .string("\(web)/\(name)/-/merge_requests/\(pull.number)")),
        ])
    }
}
