import Compose
import FoundationEssentials
import KubernetesObjects
import Rendering
import Specs
import Stacks
import TestSupport
import Testing
import YAML

/// Real compose files and stacks: each renders, or says what is really wrong with it.
@Suite(.enabled(if: Shared.directory != nil, Shared.absent)) struct CorpusTests {
    private struct Counts {
        var rendered = 0
        var warned = 0
        var refused: [String: [Diagnostic]] = [:]
        var objects = 0
        var warnings: [String: Int] = [:]

        mutating func add(_ name: String, _ deployment: RenderedDeployment?, _ diagnostics: Diagnostics) {
            let errors = diagnostics.list.filter { $0.severity == .error }
            guard let deployment, errors.isEmpty else { return refused[name] = errors }
            rendered += 1
            if !diagnostics.list.isEmpty { warned += 1 }
            for diagnostic in diagnostics.list { warnings[key(of: diagnostic), default: 0] += 1 }
            objects += deployment.objects.count
        }

        /// The key that a warning is about, as `…`.
        private func key(of diagnostic: Diagnostic) -> String {
            let parts = diagnostic.what.split(separator: "`", maxSplits: 2)
            return parts.count == 3 ? String(parts[1]) : diagnostic.what
        }

        /// What each refused sample is refused for, without its place and the corpus' own.
        var reasons: [String: [String]] {
            refused.mapValues { errors in Set(errors.map { Self.reason($0.what) }).sorted() }
        }

        /// The words without what stands before them, as `service web: `, and with PATH for what is in the corpus.
        private static func reason(_ what: String) -> String {
            let parts = what.split(separator: ": ").drop {
                $0.hasPrefix("service ") || $0.first == "`" && $0.last == "`"
            }
            return parts.joined(separator: ": ").split(separator: " ").map { $0.contains("/corpus/") ? "PATH" : $0 }
                .joined(separator: " ")
        }

        func say(_ corpus: String) {
            print(
                "\(corpus): \(rendered) rendered (\(warned) with warnings, \(objects) objects), \(refused.count) refused"
            )
            for (key, count) in warnings.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                print("  \(count) × \(key)")
            }
            for (name, errors) in refused.sorted(by: { $0.key < $1.key }) {
                for error in errors { print("  \(name): \(error)") }
            }
        }
    }

    /// The samples that are refused, by their directory, and for what: one more is a fault, and so is one for another reason.
    private static let anywhere = [
        "flask-redis": [". is the project's own directory, mounted for writing"],
        "minecraft": ["`~/minecraft_data` depends on whose home it is"],
        "plex": ["an empty part between colons in `:/media/`"],
    ]

    /// The sources of these samples are not in the corpus, and no cluster makes a directory on a node.
    private static let inClusters = [
        "angular": ["./angular does not exist"], "apache-php": ["./app does not exist"],
        "nginx-flask-mongo": ["./flask does not exist"],
        "nginx-golang-postgres": ["`postgres` names a user, Kubernetes takes numbers only"],
        "prometheus-grafana": ["./grafana does not exist", "./prometheus does not exist"],
        "react-express-mongodb": ["./backend does not exist", "./frontend does not exist"],
        "react-express-mysql": ["./backend/src does not exist", "./frontend/src does not exist"],
        "react-java-mysql": ["./frontend/src does not exist"],
        "react-rust-postgres": ["./backend/src does not exist", "./frontend/src does not exist"],
        "vuejs": ["./vuejs does not exist"], "wasmedge-kafka-mysql": ["./kafka does not exist"],
        "wasmedge-mysql-nginx": ["./frontend does not exist"],
    ]

    /// Repositories that nobody has cloned here, a file that the corpus lacks, and somebody's home.
    private static let stacksRefused = [
        "fixturenet-laconicd": ["`~/cerc/laconic-registry-cli` depends on whose home it is"],
        "mainnet-blast": ["PATH does not exist"],
        "package-registry": [
            "pod 'act-runner': its repository cerc-io/hosting is not there: PATH does not exist",
            "pod 'gitea': its repository cerc-io/hosting is not there: PATH does not exist",
        ],
        "test-restart-multi": [
            "pod 'test-restart-multi-a': its repository test-restart-pod-a is not there: PATH does not exist",
            "pod 'test-restart-multi-b': its repository test-restart-pod-b is not there: PATH does not exist",
        ],
    ]

    private func options(_ target: RenderOptions.Target, _ name: String) -> RenderOptions {
        RenderOptions(target: target, namespace: "so-\(name.lowercased())", deploymentID: "so-corpus", stackName: name)
    }

    @Test(arguments: [
        RenderOptions.Target.podman, .kubernetes,
    ]) func `each awesome-compose sample renders, or each error names its place and the hint`(
        _ target: RenderOptions.Target
    ) throws {
        let root = try Shared.path("corpus/awesome-compose")
        let tree = FileTree.disk
        var counts = Counts()
        for name in try FileManager.default.contentsOfDirectory(atPath: root).sorted() {
            var diagnostics = Diagnostics()
            let files = discoverComposeFiles("\(root)/\(name)", tree: tree)
            guard !files.isEmpty else { continue }
            let project = layer(composeFiles: files, tree: tree, diagnostics: &diagnostics)
            let deployment = project.map {
                Rendering.render($0, options: options(target, name), tree: tree, diagnostics: &diagnostics)
            }
            check(name, diagnostics, deployment)
            counts.add(name, deployment, diagnostics)
        }
        counts.say("awesome-compose for \(target.rawValue)")
        #expect(counts.rendered + counts.refused.count == 39)
        let expected = target == .podman ? Self.anywhere : Self.anywhere.merging(Self.inClusters) { $1 }
        #expect(counts.reasons == expected)
    }

    @Test func `each stack of the corpus renders, or each error names its place and the hint`() throws {
        let root = try Shared.path("corpus/stacks")
        let tree = FileTree.disk
        let resolver = StackResolver(
            locations: StackLocations(workingDirectory: root, builtInRoot: nil, repositoryBase: root + "/none"),
            tree: tree)
        var counts = Counts()
        for name in try FileManager.default.contentsOfDirectory(atPath: root + "/stacks").sorted()
        where exists("\(root)/stacks/\(name)/stack.yml") {
            var diagnostics = Diagnostics()
            var deployment: RenderedDeployment?
            do {
                let stack = try resolver.resolve("\(root)/stacks/\(name)")
                diagnostics.append(contentsOf: stack.problems)
                deployment = layer(stack, spec: Spec(), tree: tree, diagnostics: &diagnostics).map {
                    Rendering.render($0, options: options(.podman, name), tree: tree, diagnostics: &diagnostics)
                }
            } catch let error as InvalidInput {
                diagnostics.append(contentsOf: error.diagnostics)
            }
            check(name, diagnostics, deployment)
            counts.add(name, deployment, diagnostics)
        }
        counts.say("stacks")
        #expect(counts.rendered + counts.refused.count == 28)
        #expect(counts.reasons == Self.stacksRefused)
    }

    private func check(_ name: String, _ diagnostics: Diagnostics, _ deployment: RenderedDeployment?) {
        for diagnostic in diagnostics.list where diagnostic.severity == .error {
            #expect(diagnostic.mark != nil, "\(name): \(diagnostic)")
        }
        for object in deployment?.objects ?? [] {
            #expect(throws: Never.self) { try object.node() }
        }
    }
}
