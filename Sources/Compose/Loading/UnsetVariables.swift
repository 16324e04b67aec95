package import YAML

extension [Diagnostic] {
    /// These problems, the errors with the variables that nothing sets where they stand: that a value is empty, or what an empty
    /// value comes to, is most often what is wrong there.
    package func naming(_ unset: [Mark: [UnsetVariable]]) -> [Diagnostic] {
        guard !unset.isEmpty, contains(where: { $0.severity == .error }) else { return self }
        var names: [Mark: Set<String>] = [:]
        for (mark, variables) in unset { names[mark.line(), default: []].formUnion(variables.map(\.name)) }
        return map { problem in
            guard problem.severity == .error, let line = problem.mark?.line(), let open = names[line] else {
                return problem
            }
            var problem = problem
            problem.hint = hint(open.sorted(), else: problem.hint)
            return problem
        }
    }

    private func hint(_ names: [String], else other: String?) -> String {
        let list = names.joined(separator: ", ")
        let text = names.count == 1 ? "set \(list), which is" : "set \(list), which are"
        return "\(text) taken as empty here" + (other.map { "; else \($0)" } ?? "")
    }
}

extension Mark {
    /// The line alone: an error may stand at the key of the value that is wrong.
    fileprivate func line() -> Mark { Mark(file: file, line: line) }
}
