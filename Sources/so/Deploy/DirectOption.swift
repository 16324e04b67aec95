import ArgumentParser
import Deployments
import ExternalTools
import Runtimes
import Specs
import Stacks

/// The stack that `so deploy up` and its kin run without a spec, and the deployment directory that they keep for it.
struct DirectOption: ParsableArguments {
    @Option(name: .long, help: "The stack: a path, or the name of a built-in or fetched stack.")
    var stack: String

    @Option(help: "A name to run the stack under, so that it can run more than once (default: the stack's).")
    var cluster: String?

    @Option(help: .hidden)
    var include: String?

    @Option(help: .hidden)
    var exclude: String?

    @Option(help: .hidden)
    var deployTo: DeployInit.Target?

    init() {}

    init(stack: String) {
        self.stack = stack
        cluster = nil
        include = nil
        exclude = nil
        deployTo = nil
    }

    func validate() throws {
        if include != nil || exclude != nil {
            throw ValidationError(
                "name the services instead of --include and --exclude: so deploy up --stack \(stack) SERVICE …")
        }
        if let deployTo, deployTo.target != .podman {
            throw ValidationError(
                "without a spec, a stack runs on podman only; for \(deployTo.rawValue): so deploy init, deploy create, deployment start"
            )
        }
        if let cluster { _ = try checkedStackName(cluster) }
    }

    func resolved() throws -> ResolvedStack { try Host.resolver().resolve(stack) }

    /// The deployment directory of a stack that was brought up.
    ///
    /// - Throws: `DeploymentError` (`missing`) where it never was, (`notPermitted`) where it is another stack's of that name.
    func existing() throws -> String {
        if let directory = try existingIfAny() { return directory }
        throw DeploymentError(
            .missing, "\(cluster ?? stack) was not brought up by `so deploy up`",
            hint: "so deploy up --stack \(shellQuoted(stack)), or name a deployment: so deployment --dir DIRECTORY …")
    }

    /// The same, or nil where the stack never was brought up.
    func existingIfAny() throws -> String? {
        let place = try Host.deployments.place(of: resolved(), name: cluster)
        return place.exists ? place.directory : nil
    }
}
