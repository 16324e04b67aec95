import Compose
import ExternalTools
package import Runtimes
import Specs
package import YAML

/// Who a deployment is: written once by create into `deployment.yml`, never changed by an update.
package struct Identity: Hashable, Sendable {
    /// The value of `app.kubernetes.io/instance`: unique, and valid as a label.
    package var deploymentID: String
    /// The cluster or host that the deployment was made for; stack-orchestrator's key, kept for its tools.
    package var clusterID: String
    /// The target as the spec wrote it at creation: `podman`, `k8s-kind` or `k8s`.
    package var target: String
    /// The stack's name.
    package var stackName: String
    /// Where the stack came from: a locator or an absolute path.
    package var stackSource: String
    /// The commit of that source, where it is a git checkout.
    package var stackCommit: String?
    /// The version of `so` that made the directory.
    package var toolVersion: String

    package init(
        deploymentID: String, clusterID: String, target: String, stackName: String, stackSource: String,
        stackCommit: String?, toolVersion: String
    ) {
        self.deploymentID = deploymentID
        self.clusterID = clusterID
        self.target = target
        self.stackName = stackName
        self.stackSource = stackSource
        self.stackCommit = stackCommit
        self.toolVersion = toolVersion
    }

    /// Refuses an update from another stack, or for another target: its pods and data would be left behind unseen.
    package func refuseOther(_ request: CreateRequest) throws(DeploymentError) {
        let wanted = (request.spec.deployTo ?? .podman).rawValue
        if request.stack.name != stackName {
            throw DeploymentError(
                .unsupported,
                "\(request.directory) is a deployment of the stack \(stackName), not of \(request.stack.name)",
                hint: "make another deployment with `so deploy create`, without --update")
        }
        if wanted != target {
            throw DeploymentError(
                .unsupported, "\(request.directory) was made for \(target), and the spec says `deploy-to: \(wanted)`",
                hint: "a deployment keeps its target: make another one with `so deploy create`, without --update")
        }
    }

    /// The text of `deployment.yml`.
    package var yaml: String {
        var pairs: [(String, Node)] = [
            ("deployment-id", .string(deploymentID)),
            ("cluster-id", .string(clusterID)),
            ("target", .string(target)),
            ("stack", .string(stackName)),
            ("stack-source", .string(stackSource)),
        ]
        if let stackCommit { pairs.append(("stack-commit", .string(stackCommit))) }
        pairs.append(("tool-version", .string(toolVersion)))
        return Node.map(pairs).yaml()
    }

    /// Reads `deployment.yml`.
    ///
    /// - Throws: `InvalidInput` naming each key that is missing.
    package init(node: Node) throws(InvalidInput) {
        var diagnostics = Diagnostics()
        let mapping = node.mapping ?? Mapping()
        if mapping["cluster-id"] != nil, mapping["tool-version"] == nil, mapping["target"] == nil {
            diagnostics.error(
                "this deployment was made by stack-orchestrator", at: node.mark,
                hint: "take it over: so deploy import-legacy \(shellQuoted(parentDirectory(node.mark.file)))")
            throw InvalidInput(diagnostics.list)
        }
        func value(_ key: String) -> String {
            if let text = mapping[key]?.text { return text }
            diagnostics.error(
                "`\(key)` is missing", at: node.mark,
                hint: "deployment.yml is written by `so deploy create`; restore it from a backup")
            return ""
        }
        self.init(
            deploymentID: value("deployment-id"), clusterID: value("cluster-id"), target: value("target"),
            stackName: value("stack"), stackSource: value("stack-source"),
            stackCommit: mapping["stack-commit"]?.text, toolVersion: mapping["tool-version"]?.text ?? "")
        try diagnostics.throwIfErrors()
    }
}
