import Compose
import OrderedCollections
import YAML

extension Spec {
    /// What one key alone cannot tell.
    func checkTogether(_ diagnostics: inout Diagnostics) {
        checkVolumes(&diagnostics)
        checkHosts(&diagnostics)
        if let login = imagePullSecret, login.tokenEnv == nil, login.tokenFile == nil {
            diagnostics.error(
                "image-pull-secret has neither 'token-env' nor 'token-file'", at: login.mark,
                hint: "name the variable or the file that holds the token")
        }
        if deployTo == .kubernetes, keys["kube-config"] == nil {
            diagnostics.error(
                "deploy-to k8s needs 'kube-config'", at: mark(of: "deploy-to"), hint: "add 'kube-config: <path>'")
        }
        for name in configmaps.keys where volumes[name] != nil {
            diagnostics.error(
                "'\(name)' is defined in both 'configmaps' and 'volumes'", at: mark(of: "configmaps.\(name)"),
                hint: "keep one of them")
        }
        for text in secretPlaceholderConfig {
            diagnostics.error("the value of \(text) holds characters that are reserved", at: mark(of: "config.\(text)"))
        }
    }

    private var secretPlaceholderConfig: [String] {
        config.filter { TemplateText($0.value.value).isSecret }.map(\.key)
    }

    private func checkVolumes(_ diagnostics: inout Diagnostics) {
        for (name, path) in volumes {
            guard let text = path.value, !TextRule.absolutePath.accepts(text) else { continue }
            if deployTo == .kubernetes {
                diagnostics.error(
                    "volumes.\(name): the relative path '\(text)' cannot be used on a cluster", at: path.mark,
                    hint:
                        "write a path on the cluster's nodes, or leave it empty for a volume that the cluster provisions"
                )
            } else if !isInnerPath(text) {
                diagnostics.error(
                    "volumes.\(name): '\(text)' is outside the deployment directory", at: path.mark,
                    hint: "write an absolute path, or one below the deployment directory")
            }
        }
        for (name, path) in configmaps where !TextRule.absolutePath.accepts(path.value) && !isInnerPath(path.value) {
            diagnostics.error(
                "configmaps.\(name): '\(path.value)' is outside the deployment directory", at: path.mark,
                hint: "put the files below ./configmaps/\(name)")
        }
    }

    private func checkHosts(_ diagnostics: inout Diagnostics) {
        var seen: [String: Mark] = [:]
        for proxy in network.httpProxies {
            for route in proxy.routes {
                let key = proxy.hostName + route.path
                if let earlier = seen[key] {
                    diagnostics.error(
                        "\(key) is routed twice", at: route.mark, hint: "the other one is at \(earlier)")
                }
                seen[key] = route.mark
            }
        }
    }
}

extension Spec {
    /// A path of the spec's as an absolute one: relative ones start from the spec's directory, `~` is the home directory.
    package func path(_ written: String, homeDirectory: String? = nil) -> String {
        if let homeDirectory, written == "~" || written.hasPrefix("~/") {
            return normalizedPath(homeDirectory + written.dropFirst())
        }
        return absolutePath(written, in: directory)
    }

    /// Where a deployment keeps the files of a ConfigMap, relative to its directory: at the path that is written where that is one of its
    /// own, else below configmaps/, as a copy.
    package func configMapDirectory(_ name: String) -> String {
        let written = configmaps[name]?.value ?? ""
        let path = normalizedRelative(written)
        let isOwn = !written.hasPrefix("/") && !written.hasPrefix("~") && "/\(path)".isMountable(below: "")
        return isOwn ? path : "configmaps/\(name)"
    }
}

/// A relative path without `.` and `..`.
package func normalizedRelative(_ path: String) -> String { String(normalizedPath("/" + path).dropFirst()) }
