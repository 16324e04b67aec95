import FoundationEssentials
import Orchestrator
import YAML

// The answers of GitHub, and of Gitea where it does not differ.
extension TestForgeState {
    func githubReply(
        _ request: ForgeTestRequest, _ name: String, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        let key = "\(request.method) \(path.first ?? "")"
        switch key {
        case "GET ":
            return ForgeTestReply(repositoryNode(name, repository))
        case "GET collaborators":
            guard let level = repository.permissions[path[1]] else {
                return .refusal(404, "\(path[1]) is not a user")
            }
            return ForgeTestReply(.map([("permission", .string(level)), ("role_name", .string(level))]))
        case "GET labels":
            return ForgeTestReply(.list(repository.labels.enumerated().map { labelNode($1, $0) }))
        case "GET issues", "POST issues", "PATCH issues", "DELETE issues":
            return issueReply(request, name, Array(path.dropFirst()), &repository)
        case "GET pulls", "POST pulls":
            return pullReply(request, name, Array(path.dropFirst()), &repository)
        case "GET commits": return checkReply(path, repository)
        default: return .notFound
        }
    }

    private func issueReply(
        _ request: ForgeTestRequest, _ name: String, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        if path.isEmpty {
            let wanted = request.query["labels"] ?? ""
            let found = repository.issues.values.filter { $0.isOpen && $0.labels.contains(wanted) }
            return ForgeTestReply(.list(found.sorted { $0.number < $1.number }.map { issueNode(name, $0) }))
        }
        if path[0] == "comments" { return editReply(request, path, &repository) }
        guard let number = Int(path[0]), var issue = repository.issues[number] else { return .notFound }
        defer { repository.issues[number] = issue }
        switch "\(request.method) \(path.dropFirst().joined(separator: "/"))" {
        case "GET ": return ForgeTestReply(issueNode(name, issue))
        case "GET comments":
            return page(request, repository.comments.filter { $0.issue == number }.map(commentNode))
        case "POST comments":
            let body = request.json.words("body")
            guard body.unicodeScalars.count <= 65_536 else { return .refusal(422, "Validation Failed") }
            let comment = Comment(id: next(), issue: number, author: author(request), body: body)
            repository.comments.append(comment)
            return ForgeTestReply(commentNode(comment), status: 201)
        case "GET labels":
            return ForgeTestReply(.list(issue.labels.map { labelNode($0, repository.labels.firstIndex(of: $0) ?? 0) }))
        case "POST labels":
            for label in request.json.at("labels")?.sequence ?? [] {
                let text = label.text ?? ""
                let value = kind == .gitea ? repository.labels[Int(text) ?? 0] : text
                if !issue.labels.contains(value) { issue.labels.append(value) }
            }
            return ForgeTestReply(.list(issue.labels.map { labelNode($0, 0) }))
        case "GET events", "GET timeline":
            return ForgeTestReply(.list(issue.labelled.enumerated().map { labelledNode($1, id: $0 + 1) }))
        case _ where request.method == "DELETE" && path.count == 3 && path[1] == "labels":
            let label = kind == .gitea ? repository.labels[Int(path[2]) ?? 0] : path[2]
            guard let place = issue.labels.firstIndex(of: label) else { return .refusal(404, "Label does not exist") }
            issue.labels.remove(at: place)
            return kind == .gitea ? ForgeTestReply(status: 204) : ForgeTestReply(.list([]))
        default: return .notFound
        }
    }

    private func editReply(
        _ request: ForgeTestRequest, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        guard request.method == "PATCH", let id = Int64(path[1]),
            let place = repository.comments.firstIndex(where: { $0.id == id })
        else { return .notFound }
        repository.comments[place].body = request.json.words("body")
        repository.comments[place].edits += 1
        return ForgeTestReply(commentNode(repository.comments[place]))
    }

    /// Two items a page: a client that reads the first page only is found out.
    private func page(_ request: ForgeTestRequest, _ items: [Node]) -> ForgeTestReply {
        let number = request.query["page"].flatMap { Int($0) } ?? 1
        let shown = Array(items.dropFirst((number - 1) * 2).prefix(2))
        var headers: [String: String] = [:]
        if items.count > number * 2 {
            headers["Link"] = "<\(web)\(request.path)?page=\(number + 1)>; rel=\"next\", <\(web)/x>; rel=\"last\""
        }
        return ForgeTestReply(.list(shown), headers: headers)
    }

    private func pullReply(
        _ request: ForgeTestRequest, _ name: String, _ path: [String], _ repository: inout Repository
    ) -> ForgeTestReply {
        if request.method == "POST", path.isEmpty { return openReply(request, name, &repository) }
        if path.isEmpty {
            let owner = name.prefix { $0 != "/" }
            let head = request.query["head"] ?? ""
            let found = repository.pulls.filter { kind == .gitea || "\(owner):\($0.head)" == head }
            return ForgeTestReply(.list(found.map { pullNode(name, repository, $0) }))
        }
        guard let number = Int(path[0]), let pull = repository.pulls.first(where: { $0.number == number }) else {
            return .notFound
        }
        if path.count == 1 { return ForgeTestReply(pullNode(name, repository, pull)) }
        guard path[1] == "reviews" else { return .notFound }
        if path.count == 2 {
            return ForgeTestReply(.list(repository.reviews.filter { $0.pull == number }.map(reviewNode)))
        }
        guard let review = repository.reviews.first(where: { "\($0.id)" == path[2] }) else { return .notFound }
        return ForgeTestReply(
            .list(
                review.comments.map {
                    .map([
                        ("id", .number(1)), ("path", .string($0.path)), ("line", .number($0.line)),
                        ("body", .string($0.body)), ("user", userNode(review.author)),
                    ])
                }))
    }

    private func openReply(
        _ request: ForgeTestRequest, _ name: String, _ repository: inout Repository
    ) -> ForgeTestReply {
        let (head, base) = (request.json.words("head"), request.json.words("base"))
        if repository.pulls.contains(where: { $0.head == head && $0.isOpen && !$0.isFork }) {
            let owner = name.prefix { $0 != "/" }
            let reason = Node.map([
                ("resource", .string("PullRequest")), ("code", .string("custom")),
                ("message", .string("A pull request already exists for \(owner):\(head).")),
            ])
            return kind == .gitea
                ? .refusal(409, "pull request already exists for these targets")
                : ForgeTestReply(
                    .map([("message", .string("Validation Failed")), ("errors", .list([reason]))]), status: 422)
        }
        if request.json.at("draft")?.text == "true", refusesDrafts {
            return .refusal(422, "Draft pull requests are not supported in this repository.")
        }
        let pull = Pull(
            number: Int(next()), title: request.json.words("title"), body: request.json.words("body"), head: head,
            base: base)
        repository.pulls.append(pull)
        return ForgeTestReply(pullNode(name, repository, pull), status: 201)
    }

    private var refusesDrafts: Bool { true }

    private func checkReply(_ path: [String], _ repository: Repository) -> ForgeTestReply {
        let checks = repository.checks[path[1]] ?? []
        if kind == .gitea {
            let isFailed = checks.contains { $0.conclusion == "failure" }
            let state = checks.isEmpty ? "pending" : isFailed ? "failure" : "success"
            let statuses = checks.map { check in
                Node.map([("context", .string(check.name)), ("status", .string(check.conclusion))])
            }
            return ForgeTestReply(.map([("state", .string(state)), ("statuses", .list(statuses))]))
        }
        if path.last == "status" {
            let statuses = (repository.statuses[path[1]] ?? []).map { status in
                Node.map([("context", .string(status.context)), ("state", .string(status.state))])
            }
            return ForgeTestReply(.map([("state", .string("pending")), ("statuses", .list(statuses))]))
        }
        let runs = checks.map { check in
            Node.map([
                ("id", .number(1)), ("name", .string(check.name)), ("status", .string("completed")),
                ("conclusion", .string(check.conclusion)),
            ])
        }
        return ForgeTestReply(.map([("total_count", .number(runs.count)), ("check_runs", .list(runs))]))
    }

    // MARK: Objects

    private func author(_ request: ForgeTestRequest) -> String {
        request.token == TestForge.token ? TestForge.login : "so-bot[bot]"
    }

    func userNode(_ login: String) -> Node {
        .map([
            ("login", .string(login)), ("id", .number(7)), ("type", .string(login.hasSuffix("[bot]") ? "Bot" : "User")),
        ])
    }

    func repositoryNode(_ name: String, _ repository: Repository) -> Node {
        .map([
            ("id", .number(repository.id)), ("full_name", .string(name)), ("default_branch", .string("main")),
            ("clone_url", .string("http://evil.invalid/x.git")),
        ])
    }

    private func labelNode(_ name: String, _ id: Int) -> Node {
        .map([("id", .number(id)), ("name", .string(name)), ("color", .string("5319e7"))])
    }

    private func labelledNode(_ entry: Labelling, id: Int) -> Node {
        kind == .gitea
            ? .map([
                ("id", .number(id)), ("type", .string("label")), ("body", .string(entry.isSet ? "1" : "")),
                ("label", labelNode(entry.label, 0)), ("user", userNode(entry.by)),
            ])
            : .map([
                ("id", .number(id)), ("event", .string(entry.isSet ? "labeled" : "unlabeled")),
                ("label", .map([("name", .string(entry.label))])), ("actor", userNode(entry.by)),
            ])
    }

    func issueNode(_ name: String, _ issue: Issue, more: [(String, Node)] = []) -> Node {
        .map(
            more + [
                ("id", .number(issue.number * 1000)), ("number", .number(issue.number)),
                ("title", .string(issue.title)),
                ("body", issue.body.isEmpty ? .null : .string(issue.body)), ("user", userNode(issue.author)),
                ("labels", .list(issue.labels.map { labelNode($0, 0) })),
                ("state", .string(issue.isOpen ? "open" : "closed")),
                ("html_url", .string("\(web)/\(name)/issues/\(issue.number)")),
                ("created_at", .string("2026-11-23T01:00:00Z")),
            ])
    }

    private func commentNode(_ comment: Comment) -> Node {
        .map([("id", .number(comment.id)), ("body", .string(comment.body)), ("user", userNode(comment.author))])
    }

    func reviewNode(_ review: Review) -> Node {
        .map([
            ("id", .number(review.id)), ("state", .string(review.state)), ("body", .string(review.body)),
            ("user", userNode(review.author)),
        ])
    }

    func pullNode(_ name: String, _ repository: Repository, _ pull: Pull) -> Node {
        let own = repositoryNode(name, repository)
        let fork = repositoryNode("acme/copy", Repository(id: 666))
        func end(_ branch: String, _ repository: Node) -> Node {
            .map([("ref", .string(branch)), ("sha", .string(String(repeating: "a", count: 40))), ("repo", repository)])
        }
        return .map([
            ("id", .number(pull.number)), ("number", .number(pull.number)), ("title", .string(pull.title)),
            ("body", .string(pull.body)), ("state", .string(pull.isOpen ? "open" : "closed")),
            ("merged", .flag(pull.isMerged)), ("html_url", .string("\(web)/\(name)/pull/\(pull.number)")),
            ("head", end(pull.head, pull.isFork ? fork : own)), ("base", end(pull.base, own)),
        ])
    }
}
