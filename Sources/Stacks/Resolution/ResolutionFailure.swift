import Compose
import Specs
import YAML

extension StackResolver {
    func pathFailure(_ written: String, _ path: String) -> StackError {
        if tree.denial("\(path)/stack.yml") != nil { return StackError(denied: "\(path)/stack.yml") }
        return switch tree.kind(path) {
        case .directory:
            StackError(
                .notFound, "\(path) has no stack.yml",
                hint: "name a stack's directory, or a stack that `so list-stacks` shows"
            )
        case .file, .other:
            StackError(.notFound, "\(path) is not a directory", hint: "name the directory that holds stack.yml")
        case .none:
            StackError(
                .notFound,
                "no stack at \(path)",
                hint: "name an existing directory, or a stack that `so list-stacks` shows")
        }
    }

    func ambiguity(_ name: String, _ matches: [ListedStack]) -> StackError {
        let candidates = matches.map { "\n  --stack \($0.directory)" }.joined()
        return StackError(
            .ambiguous, "\(matches.count) stacks are called '\(name)'", hint: "name one by its path:\(candidates)")
    }

    func notFound(_ name: String, _ candidates: [ListedStack]) -> StackError {
        let hint: String
        let names = candidates.map(\.name)
        let near = nearNames(name, in: names)
        if !near.isEmpty {
            hint = "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
        } else if names.isEmpty {
            hint = "fetch a repository of stacks with `so fetch-stack <locator>`, or name a directory"
        } else {
            hint = "`so list-stacks` shows those there are"
        }
        return StackError(.notFound, "no stack '\(name)'" + searched(name), hint: hint)
    }

    private func searched(_ name: String) -> String {
        let builtIn = locations.builtInRoot.map { "\($0)/stacks" } ?? "no built-in stacks found: set SO_DATA_DIR"
        let count = repositories.count
        let places = [
            absolutePath(name, in: locations.workingDirectory), builtIn,
            "\(locations.repositoryBase) (\(count) \(count == 1 ? "repository" : "repositories"))",
        ]
        return places.map { "\n  searched: \($0)" }.joined()
    }

    private func nearNames(_ name: String, in names: [String]) -> [String] {
        var result = nearest(name, in: names).map { [$0] } ?? []
        if name.count >= 3 {
            result += names.filter { $0.contains(name) || name.contains($0) && $0.count >= 3 }
        }
        var seen: Set<String> = []
        return Array(result.filter { seen.insert($0).inserted }.prefix(3))
    }
}
