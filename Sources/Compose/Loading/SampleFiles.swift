extension FileTree {
    /// The name of a file beside a missing one that its author has put there to be copied: `stack.env.example` for `stack.env`.
    func sample(of path: String) -> String? {
        let name = lastPathComponent(path)
        let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        let words = ["example", "sample", "template", "dist", "default"]
        let after = [name, plain].flatMap { name in words.flatMap { ["\(name).\($0)", "\(name)-\($0)"] } }
        let before = words.map { name.hasPrefix(".") ? $0 + name : "\($0).\(name)" }
        return (after + before).first { hasFile(parentDirectory(path) + "/" + $0) }
    }
}
