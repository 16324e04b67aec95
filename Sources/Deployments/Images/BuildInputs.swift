import Compose
import FoundationEssentials
import Runtimes
package import Specs
import Stacks

/// Reads which images a Containerfile builds on, so that they are built first.
struct ContainerfileImages {
    /// The images of FROM, `COPY --from` and `RUN --mount from=`, arguments filled in with their defaults or the given values.
    private(set) var references: [String] = []

    init(_ text: String, arguments: [String: String] = [:]) {
        var values: [String: String] = [:]
        var stages: Set<String> = []
        for line in Self.instructions(text) {
            let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let instruction = words.first?.uppercased() else { continue }
            switch instruction {
            case "ARG":
                for word in words.dropFirst() {
                    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                    guard let name = parts.first else { continue }
                    let fallback = parts.count > 1 ? parts[1].filter { $0 != "\"" && $0 != "'" } : nil
                    values[name] = arguments[name] ?? fallback ?? values[name]
                }
            case "FROM":
                let rest = words.dropFirst().drop { $0.hasPrefix("--") }
                if let image = rest.first { add(image, values, stages) }
                if rest.count == 3, rest.dropFirst().first?.uppercased() == "AS", let name = rest.last {
                    stages.insert(name.lowercased())
                }
            case "COPY", "ADD", "RUN":
                for word in words where word.hasPrefix("--from=") { add(String(word.dropFirst(7)), values, stages) }
                for word in words where word.hasPrefix("--mount=") {
                    for part in word.dropFirst(8).split(separator: ",") where part.hasPrefix("from=") {
                        add(String(part.dropFirst(5)), values, stages)
                    }
                }
            default: continue
            }
        }
    }

    private mutating func add(_ word: String, _ values: [String: String], _ stages: Set<String>) {
        var image = word
        for (name, value) in values.sorted(by: { $0.key.count > $1.key.count }) {
            image = image.replacing("${\(name)}", with: value).replacing("$\(name)", with: value)
        }
        guard !stages.contains(image.lowercased()), Int(image) == nil, !references.contains(image) else { return }
        references.append(image)
    }

    /// The lines without comments, those that end in a backslash joined.
    private static func instructions(_ text: String) -> [String] {
        var result: [String] = []
        var pending = ""
        for line in text.split(separator: "\n") {
            let stripped = String(line.drop { $0 == " " || $0 == "\t" }.filter { $0 != "\r" })
            if stripped.hasPrefix("#") || stripped.isEmpty { continue }
            if stripped.hasSuffix("\\") {
                pending += stripped.dropLast() + " "
            } else {
                result.append(pending + stripped)
                pending = ""
            }
        }
        return pending.isEmpty ? result : result + [pending]
    }
}

/// Directories that build scripts of stack-orchestrator expect: its flat layout of clones, one directory of all container builds with
/// `build-base.sh`, and a `docker` that is the engine in use. Links only; removed with the run.
package struct BuildWorkspace: Sendable {
    package let directory: String
    /// `<repo>` leads to the clone; also `<host>/<org>/<repo>`.
    var repositories: String { directory + "/repos" }
    var containers: String { directory + "/container-build" }
    var programs: String { directory + "/bin" }

    /// - Parameters:
    ///   - directory: a directory of its own, which the caller removes.
    ///   - clones: the clones of the stack's repositories, by the name that scripts use.
    package init(_ directory: String, stack: ResolvedStack, base: String, engine: ImageEngine) throws {
        self.directory = directory
        for path in [repositories, containers, programs] { try Files.makeDirectory(path) }
        let needed = (try? stack.neededRepositories()) ?? []
        for locator in needed { try link(locator.name, in: repositories, to: "\(base)/\(locator.directory)") }
        for name in (try? FileTree.disk.list(base)) ?? [] where !name.hasPrefix(".") {
            try link(name, in: repositories, to: "\(base)/\(name)")
        }
        for root in stack.allRoots {
            for name in (try? FileTree.disk.list(root + "/container-build")) ?? [] {
                try link(name, in: containers, to: "\(root)/container-build/\(name)")
            }
        }
        if !Files.exists(containers + "/build-base.sh") {
            try write(Self.buildBase, to: containers + "/build-base.sh", mode: 0o644)
        }
        if !Files.exists(containers + "/default-build.sh") {
            try write(Self.defaultBuild, to: containers + "/default-build.sh", mode: 0o755)
        }
        // A script of stack-orchestrator says `docker`; what it builds must be in the store that the deployment is run from.
        if engine.kind == .podman {
            try write("#!/bin/sh\nexec podman \"$@\"\n", to: programs + "/docker", mode: 0o755)
        }
    }

    /// For builds that run no scripts: nothing is made.
    init(unmade directory: String) { self.directory = directory }

    /// The first of two of one name stays: the stack's own before others.
    private func link(_ name: String, in directory: String, to target: String) throws {
        let path = "\(directory)/\(name)"
        guard !Files.exists(path), Files.exists(target) else { return }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func write(_ text: String, to path: String, mode: UInt32) throws {
        try Files.write(Array(text.utf8), to: path, mode: mode)
    }

    /// What scripts of stack-orchestrator source: the arguments to pass on to the build command.
    private static let buildBase = """
        build_command_args="${CERC_CONTAINER_EXTRA_BUILD_ARGS:-}"
        if [ "${CERC_FORCE_REBUILD:-}" = true ]; then build_command_args="--no-cache ${build_command_args}"; fi

        """

    /// `default-build.sh TAG DIRECTORY`.
    private static let defaultBuild = """
        #!/bin/sh
        . "$(dirname "$0")/build-base.sh"
        exec docker build -t "$1" ${build_command_args} "$2"

        """
}
