import OrderedCollections
import YAML

/// Which variables the parts of a project see: those of an included file see its env files too.
final class Scopes {
    let root: VariableScope
    private var included: [String: VariableScope] = [:]
    private var directories: [String: String] = [:]

    init(root: VariableScope) {
        self.root = root
    }

    /// Notes the scope and directory of what an include brings, unless something of that name was there before.
    func register(_ scope: VariableScope, directory: String, section: String, name: String) {
        let key = "\(section).\(name)"
        guard included[key] == nil else { return }
        included[key] = scope
        directories[key] = directory
    }

    /// The directory of the include that brought a service; nil for the project's own.
    func directory(ofService name: String) -> String? { directories["services.\(name)"] }

    func scope(section: String, name: String) -> VariableScope {
        included.isEmpty ? root : included["\(section).\(name)"] ?? root
    }
}

extension LoadState {
    /// The variables of some env files, each seeing the outer ones and those before it.
    ///
    /// - Parameter written: how the author wrote a path, where that is not the path itself.
    func variables(
        ofFiles paths: [String], written: [String: String] = [:], under outer: VariableScope
    ) -> VariableScope {
        var result = VariableScope()
        for path in paths {
            referencedPaths.append(
                ReferencedPath(path: path, written: written[path] ?? path, role: .dotEnv, mark: Mark(file: path)))
            guard let lines = environmentLines(path, isRaw: false, at: nil) else { continue }
            for line in lines {
                let found = result
                let lookup = { (name: String) in outer[name] ?? found[name] }
                guard let value = value(of: line, lookup: lookup) else { continue }
                result[line.name] = Variable(value: TemplateText(value), layer: .dotEnv, mark: line.mark)
            }
        }
        return result
    }

    /// A line's value, interpolated; nil for a bare name that nothing sets, and after a problem, which is recorded.
    func value(of line: EnvironmentLine, lookup: @escaping (String) -> Variable?) -> String? {
        guard let text = line.value else { return lookup(line.name)?.value.encoded }
        return line.isTemplate ? interpolate(text, at: line.mark, lookup: lookup) : text
    }

    /// The lines of an env file or label file; nil if it cannot be read, which is recorded.
    func environmentLines(_ path: String, isRaw: Bool, at mark: Mark?) -> [EnvironmentLine]? {
        guard let bytes = read(path, at: mark) else { return nil }
        let parsed = EnvironmentFileParser.parse(bytes, file: path, isRaw: isRaw)
        parsed.problems.forEach(record)
        for line in parsed.lines { refuseNUL(line.value ?? "", at: line.mark) }
        return parsed.lines
    }

    /// The bytes of a file; nil if it cannot be read or holds a placeholder's scalars, which is recorded.
    func read(_ path: String, at mark: Mark?) -> [UInt8]? {
        do throws(FileTreeError) {
            let bytes = try tree.read(path)
            guard !Placeholder.isIn(bytes) else {
                error("the file holds the characters U+10FF50 or U+10FF51", at: Mark(file: path), hint: "remove them")
                return nil
            }
            return bytes
        } catch {
            var problem = Diagnostic(error, at: mark ?? Mark(file: path))
            if error.code == .absent, let sample = tree.sample(of: path) {
                problem.hint = "copy \(sample) to \(lastPathComponent(path)) and fill it in, or correct the path"
            }
            record(problem)
            return nil
        }
    }
}
