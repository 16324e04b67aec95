package import Compose
import OrderedCollections
package import Rendering
package import Specs
package import YAML

/// Everything that can be said of a stack before an operator gives it a spec.
package struct StackCheck: Sendable {
    /// In the order in which they were found.
    package private(set) var problems = Diagnostics()
    /// The variables without a default, which the operator has to give or may give, each with the first place that uses it.
    package private(set) var inputs: [Located<UnsetVariable>] = []

    /// What the stack's services are given of the host that runs them.
    package private(set) var hostAccess: [HostAccess] = []

    /// Goes through all stages, whatever the earlier ones found.
    ///
    /// - Parameters:
    ///   - stack: of a resolver with ``Stacks/StackResolver/keepsFaultyStacks``.
    ///   - isStrict: whether compose keys without an equivalent are errors.
    ///   - homeDirectory: what `~` in a path stands for.
    package init(_ stack: ResolvedStack, isStrict: Bool, homeDirectory: String?, tree: FileTree) {
        let spec = Spec(file: "(no spec)", directory: stack.directory)
        var options = LayerOptions()
        options.homeDirectory = homeDirectory
        options.requiresInputs = false
        options.warnsOfUnsetVariables = false
        options.keepsFaulty = true
        var loading = Diagnostics()
        guard let project = layer(stack, spec: spec, options: options, tree: tree, diagnostics: &loading) else {
            problems = loading
            return
        }
        var rendering = Diagnostics()
        // A spec without a target means the embedded runtime.
        var target = RenderOptions(spec: spec, stackName: stack.name, deploymentID: stack.name)
        target.isStrict = isStrict
        target.homeDirectory = homeDirectory
        let rendered = render(project, options: target, tree: stack.overlay(tree), diagnostics: &rendering)
        hostAccess = rendered.hostAccess(besides: stack.allRoots + stack.pods.compactMap(\.repositoryDirectory))
        let projects = [project.project] + project.jobs.values
        inputs = Self.inputs(projects)
        let open = Set(projects.flatMap(\.unsetVariables.keys).map(Line.init))
        let faulty = Self.faultyServices(projects, loading.list)
        let known = Set(loading.list.filter { $0.severity == .error }.compactMap(\.mark).map(Line.init))
        let more = rendering.list.filter { problem in !(problem.mark.map { known.contains(Line($0)) } ?? false) }
        let all = (loading.list + more).filter { problem in
            guard let mark = problem.mark else { return true }
            return !faulty.contains(mark) && !open.contains(Line(mark))
        }
        problems.append(contentsOf: all)
    }

    /// The places of the services in whose keys faults were found. That such a service lacks something as a whole is a consequence of those.
    private static func faultyServices(_ projects: [Project], _ problems: [Diagnostic]) -> Set<Mark> {
        let starts = projects.flatMap(\.services.values).map(\.mark).sorted { $0.precedes($1) }
        let faults = problems.filter { $0.severity == .error }.compactMap(\.mark)
        return Set(
            faults.compactMap { fault in
                let start = starts.last { $0.file == fault.file && $0.line <= fault.line }
                return start == fault ? nil : start
            })
    }

    private static func inputs(_ projects: [Project]) -> [Located<UnsetVariable>] {
        var first: [String: Located<UnsetVariable>] = [:]
        for (mark, variables) in projects.flatMap(\.unsetVariables).sorted(by: { $0.key.precedes($1.key) }) {
            for variable in variables {
                first[variable.name, default: Located(variable, at: mark)].value.isRequired =
                    first[variable.name]?.value.isRequired ?? false || variable.isRequired
            }
        }
        return first.values.sorted { $0.mark.precedes($1.mark) }
    }
}

/// A line of a file: nothing that stands in one whose value is still open can be judged.
private struct Line: Hashable {
    var file: String
    var line: Int

    init(_ mark: Mark) {
        file = mark.file
        line = mark.line
    }
}

extension Mark {
    fileprivate func precedes(_ other: Mark) -> Bool {
        (file, line, column) < (other.file, other.line, other.column)
    }
}
