import Compose
import OrderedCollections
import Runtimes
import Specs
import YAML

/// Directories that belong to the services or the operator once they are made.
extension DirectoryPlanner {
    /// A directory that a service writes to is its own from the first create on.
    mutating func own(_ directory: String, filledFrom source: String, at mark: Mark) {
        contents.directories.append(directory)
        contents.owned.insert(directory)
        addSeeds(source, to: directory, at: mark, followsStack: !directory.hasPrefix("data/"))
    }

    /// A single file that a service writes to as well.
    mutating func ownFile(_ path: String, copiedFrom source: String, at mark: Mark, mode: UInt32?) {
        guard isStacks(source, at: mark) else { return }
        contents.owned.insert(path)
        var seed = DeploymentFile(path: path, content: .copy(source), mode: mode)
        seed.followsStack = !path.hasPrefix("data/")
        contents.seeds.append(seed)
    }

    /// Makes the directories that the spec's volumes and ConfigMaps lead to, filled from config/<name> the first time.
    mutating func addVolumes() {
        for (name, path) in request.spec.volumes {
            if let path = path.value {
                addOwned(name, path: path, at: request.spec.volumes[name]?.mark, isVolume: true)
            }
        }
        for (name, path) in request.spec.configmaps { addConfigMap(name, path) }
    }

    /// Files of the operator or of the stack's repository are copied, and kept up to date by updates; a directory of the deployment is
    /// the operator's to fill.
    private mutating func addConfigMap(_ name: String, _ path: Located<String>) {
        let directory = request.spec.configMapDirectory(name)
        guard directory != normalizedRelative(path.value) else {
            return addOwned(name, path: path.value, at: path.mark)
        }
        guard let source = configMapSource(path.value, copy: directory) else {
            diagnostics.error(
                "configmaps: \(name): no directory \(path.value), neither in the stack nor beside the spec",
                at: path.mark, hint: "correct the path, or write ./configmaps/\(name) and fill that directory")
            return
        }
        addConfigMapFiles(source.path, to: directory, isStacks: source.isStacks, at: path.mark)
    }

    /// - Parameter copy: where a deployment keeps its copy: the stack may be the deployment's own.
    private func configMapSource(_ written: String, copy: String) -> (path: String, isStacks: Bool)? {
        let own = request.spec.path(written, homeDirectory: request.options.homeDirectory)
        if written.hasPrefix("/") || written.hasPrefix("~") {
            return request.tree.kind(own) == .directory ? (own, false) : nil
        }
        let roots = request.stack.allRoots + request.stack.pods.compactMap(\.repositoryDirectory)
        // Some repositories keep their stacks below a directory of their own.
        let tops = request.stack.root.hasSuffix("/stack-orchestrator") ? [Files.parent(of: request.stack.root)] : []
        let copies = request.stack.source == .deployment ? ["\(request.stack.root)/\(copy)"] : []
        let inStack = (roots + tops).map { absolutePath(written, in: $0) } + copies
        if let path = inStack.first(where: { request.tree.kind($0) == .directory }) { return (path, true) }
        return request.tree.kind(own) == .directory ? (own, false) : nil
    }

    private mutating func addConfigMapFiles(_ directory: String, to target: String, isStacks: Bool, at mark: Mark) {
        if isStacks, !self.isStacks(directory, at: mark) { return }
        if isLoop(directory, at: mark) { return }
        contents.directories.append(target)
        for name in (try? request.tree.list(directory).sorted()) ?? [] where name != ".git" {
            let source = "\(directory)/\(name)"
            switch request.tree.kind(source) {
            case .directory: addConfigMapFiles(source, to: "\(target)/\(name)", isStacks: isStacks, at: mark)
            case .file where !isStacks || self.isStacks(source, at: mark):
                contents.files.append(DeploymentFile(path: "\(target)/\(name)", content: .copy(source)))
            default: continue
            }
        }
    }

    private mutating func addOwned(_ name: String, path: String, at mark: Mark?, isVolume: Bool = false) {
        guard !path.hasPrefix("/"), !path.hasPrefix("~") else { return }
        let target = Files.absolute("/\u{1}/\(path)")
        guard target.isMountable(below: "/\u{1}") else {
            diagnostics.error(
                target.hasPrefix("/\u{1}/")
                    ? "the path `\(path)` of \(name) is not below data/, config/ or configmaps/, all of a deployment that containers may see"
                    : "the path `\(path)` of \(name) is outside the deployment directory",
                at: mark, hint: "write a path such as ./data/\(name), or an absolute one")
            return
        }
        let inside = String(target.dropFirst(3))
        contents.directories.append(inside)
        contents.owned.insert(inside)
        guard
            let source = request.stack.allRoots.map({ "\($0)/config/\(name)" }).first(where: {
                request.tree.kind($0) == .directory
            })
        else { return }
        addSeeds(source, to: inside, at: mark, followsStack: !isVolume)
    }

    private mutating func addSeeds(
        _ directory: String, to target: String, at mark: Mark?, followsStack: Bool = false
    ) {
        guard request.tree.kind(directory) == .directory, isStacks(directory, at: mark), !isLoop(directory, at: mark)
        else { return }
        for name in (try? request.tree.list(directory).sorted()) ?? [] {
            let source = "\(directory)/\(name)"
            switch request.tree.kind(source) {
            case .directory: addSeeds(source, to: "\(target)/\(name)", at: mark, followsStack: followsStack)
            case .file where isStacks(source, at: mark):
                var seed = DeploymentFile(path: "\(target)/\(name)", content: .copy(source))
                seed.followsStack = followsStack
                contents.seeds.append(seed)
            default: continue
            }
        }
    }
}
