import OrderedCollections
import YAML

/// What the stages of one load share: the files, the problems found, and what was noted on the way.
final class LoadState {
    let tree: FileTree
    let options: LoadOptions
    var diagnostics = Diagnostics()
    private var reported: Set<Diagnostic> = []
    private var unsetNames: Set<String> = []
    /// Where interpolation failed: what else is wrong with those values is its consequence.
    private var uninterpolated: Set<Mark> = []

    var files: OrderedSet<String> = []
    var interpolations: [Mark: [VariableUse]] = [:]
    var unsetVariables: [Mark: [UnsetVariable]] = [:]
    var referencedVariables: OrderedDictionary<String, Mark> = [:]
    var referencedPaths: OrderedSet<ReferencedPath> = []
    /// The texts of paths that were made absolute, by their place.
    var writtenPaths: [Mark: String] = [:]
    /// Whether any secret was interpolated: nothing looks for placeholders otherwise.
    var hasSecrets = false
    /// What the project's author has put beside the `.env` that is not there, to be copied.
    var dotEnvSample: String?
    /// How many compose files were loaded for includes and extends: a bound against files that include each other wildly.
    var nestedLoads = 0
    /// How many bytes interpolation may put in yet.
    private var allowance = Substitution.standardAllowance
    /// How many values the services that extend others came to.
    var extendedNodes = 0
    /// How many ports were expanded from short forms.
    var expandedPorts = 0
    /// The files of the overrides, which decide a value's layer.
    let overrideFiles: Set<String>

    init(tree: FileTree, options: LoadOptions) {
        self.tree = tree
        self.options = options
        overrideFiles = Set(options.overrides.map(\.mark.file))
    }

    /// Records an error, once.
    func error(_ what: String, at mark: Mark?, hint: String? = nil) {
        record(Diagnostic(.error, at: mark, what, hint: hint))
    }

    /// Records a warning, once.
    func warning(_ what: String, at mark: Mark?, hint: String? = nil) {
        record(Diagnostic(.warning, at: mark, what, hint: hint))
    }

    func record(_ diagnostic: Diagnostic) {
        var diagnostic = diagnostic
        // A text that names a value may hold a placeholder; nobody is to see it.
        if hasSecrets { diagnostic.what = TemplateText(diagnostic.what).masked }
        if let mark = diagnostic.mark, mark.line > 0, uninterpolated.contains(mark) { return }
        guard reported.insert(diagnostic).inserted else { return }
        diagnostics.append(contentsOf: [diagnostic])
    }

    /// Interpolates a text that stands at a place, and notes what it used; nil after a problem, which is recorded.
    func interpolate(_ text: String, at mark: Mark, lookup: @escaping (String) -> Variable?) -> String? {
        var substitution = Substitution(allowance: allowance, lookup: lookup)
        defer { allowance = substitution.allowance }
        do throws(SubstitutionError) {
            let result = try substitution.substitute(text)
            note(substitution, at: mark)
            return result
        } catch {
            note(substitution, at: mark)
            report(error, at: mark)
            uninterpolated.insert(mark)
            return nil
        }
    }

    private func note(_ substitution: Substitution, at mark: Mark) {
        for use in substitution.uses {
            if referencedVariables[use.name] == nil { referencedVariables[use.name] = mark }
            if use.variable?.value.isSecret == true { hasSecrets = true }
        }
        // An include may be loaded twice, and an anchor stands for many places: the same uses are noted once.
        if !substitution.uses.isEmpty, interpolations[mark] != substitution.uses {
            interpolations[mark, default: []] += substitution.uses
        }
        note(substitution.unset, at: mark)
    }

    private func note(_ unset: [UnsetUse], at mark: Mark) {
        let missing = unset.filter { options.requiresInputs && $0.requirement != nil }
        for use in missing {
            let reason = use.requirement.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
            error("the required variable \(use.name) has no value\(reason)", at: mark, hint: hint(use.name))
        }
        // After all have been told: what else is wrong at this place is their consequence.
        if !missing.isEmpty { uninterpolated.insert(mark) }
        let others = unset.filter { !options.requiresInputs || $0.requirement == nil }
        for use in others { warnOfUnset(use.name, at: mark) }
        guard !others.isEmpty else { return }
        unsetVariables[mark] = others.map { UnsetVariable(name: $0.name, isRequired: $0.requirement != nil) }
    }

    private func warnOfUnset(_ name: String, at mark: Mark) {
        guard options.warnsOfUnsetVariables, unsetNames.insert(name).inserted else { return }
        warning(
            "the variable \(name) is not set; it is taken as empty", at: mark,
            hint: "\(hint(name)), or write ${\(name):-default}")
    }

    /// Users of docker compose would set it in their shell, which is read only for a project of their own.
    private func hint(_ name: String) -> String {
        let file = dotEnvSample.map { ".env (a copy of \($0))" } ?? ".env"
        return "set \(name) in \(file) or \(options.readsEnvironment ? "the environment" : "the spec's config")"
    }

    /// Whether nothing can be said of a value in the line of a mark: it could not be interpolated, or nobody has been asked for its inputs yet.
    func isUnknown(onLineOf mark: Mark) -> Bool {
        let isOnLine = { (other: Mark) in other.line == mark.line && other.file == mark.file }
        return uninterpolated.contains(where: isOnLine)
            || !options.requiresInputs && unsetVariables.keys.contains(where: isOnLine)
    }

    private func report(_ error: SubstitutionError, at mark: Mark) {
        switch error {
        case .invalidTemplate(let part):
            self.error(
                "invalid interpolation `\(part)`", at: mark,
                hint: "write $$ for a dollar sign, or ${NAME} for a variable")
        case .tooDeep:
            self.error(
                "variables nest more than \(Substitution.depthLimit) deep", at: mark,
                hint: "split the value into variables")
        case .tooLarge:
            self.error(
                "the values of variables that the files put in come to more than \(Substitution.standardAllowance >> 20) MiB",
                at: mark, hint: "see which variables hold each other; no value needs to be that long")
        }
    }
}
