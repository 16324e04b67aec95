import Compose
import Runtimes
import Specs
import YAML

/// The operator's own files.
extension DirectoryPlanner {
    /// Keeps private copies of the operator's own files: they may move, and the deployment must still start.
    mutating func addInputs() {
        for path in request.spec.credentialsFiles + request.spec.caCertificates {
            let source = request.spec.path(path.value, homeDirectory: request.options.homeDirectory)
            guard request.tree.kind(source) == .file else {
                diagnostics.error("no file \(source)", at: path.mark, hint: "correct the path")
                continue
            }
            let copy = ".state/inputs/\(contents.inputs.count)"
            let found =
                path.value.hasPrefix("/") || path.value.hasPrefix("~") ? source : "\(request.directory)/\(path.value)"
            contents.inputs[Files.absolute(found)] = copy
            contents.files.append(DeploymentFile(path: copy, content: .copy(source), mode: 0o600))
        }
        guard let kubeConfig = request.spec.kubeConfig else { return }
        let source = request.spec.path(kubeConfig.value, homeDirectory: request.options.homeDirectory)
        guard request.tree.kind(source) == .file else {
            diagnostics.error("no kubeconfig \(source)", at: kubeConfig.mark, hint: "correct the path")
            return
        }
        contents.files.append(DeploymentFile(path: "kubeconfig.yml", content: .copy(source), mode: 0o600))
    }
}
