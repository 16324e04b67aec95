import Specs
import YAML

extension ConfigurationReader {
    /// What is wrong between keys that are each right.
    func faults(_ configuration: Configuration) -> [Diagnostic] {
        var diagnostics = Diagnostics()
        checkForge(configuration.forge, &diagnostics)
        checkStore(configuration, &diagnostics)
        checkCredentials(configuration.credentials, &diagnostics)
        checkProjects(configuration, &diagnostics)
        return diagnostics.list
    }

    private func checkForge(_ forge: ForgeConfiguration, _ diagnostics: inout Diagnostics) {
        let mark = node.value("forge")?.mark
        if forge.api.isEmpty {
            diagnostics.error(
                "forge is missing 'api'", at: mark, hint: "add 'api: https://git.example.com/api/v1', your server's")
        }
        switch (forge.tokenFile, forge.appID, forge.privateKeyFile) {
        case (.some, nil, nil): break
        case (nil, .some, .some) where forge.kind == .github: break
        case (nil, .some, .some):
            diagnostics.error("forge: only github has apps", at: mark, hint: "give a token-file")
        case (.some, _, _):
            diagnostics.error("forge has a token-file and an app", at: mark, hint: "take one of them out")
        case (nil, _, _):
            diagnostics.error(
                "forge has neither a token nor an app", at: mark,
                hint: "add 'token-file:', or 'app-id:' and 'private-key-file:'")
        }
    }

    private func checkStore(_ configuration: Configuration, _ diagnostics: inout Diagnostics) {
        guard let mark = node.value("store")?.mark, let text = node.text("store") else { return }
        let authority = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first
        if let user = authority?.split(separator: "@").first, authority?.contains("@") == true, user.contains(":") {
            diagnostics.error(
                "store holds a password", at: mark,
                hint: "write it to a file of mode 0600 and name that in store-password-file")
        }
    }

    private func checkCredentials(_ credentials: CredentialsConfiguration, _ diagnostics: inout Diagnostics) {
        guard let section = node.value("credentials") else { return }
        if credentials.roleID != nil, credentials.secretIDFile == nil {
            diagnostics.error(
                "credentials has a role-id without 'secret-id-file'", at: section.mark, hint: "add 'secret-id-file:'")
        }
        if credentials.backend == .vault {
            if credentials.address == nil {
                diagnostics.error(
                    "credentials is missing 'address'", at: section.mark,
                    hint: "add 'address: https://vault.example.com:8200'")
            }
            let logins = [
                credentials.tokenFile != nil, credentials.roleID != nil, credentials.kubernetesRole != nil,
            ]
            if logins.filter({ $0 }).count != 1 {
                diagnostics.error(
                    "credentials needs one way to log in to Vault", at: section.mark,
                    hint: "one of 'token-file:', 'role-id:' with 'secret-id-file:', 'kubernetes-role:'")
            }
        }
    }

    private func checkProjects(_ configuration: Configuration, _ diagnostics: inout Diagnostics) {
        let names = configuration.agents.keys.sorted()
        var seen: Set<String> = []
        for (item, project) in zip(node.items("projects"), configuration.projects) {
            if !seen.insert(project.repository.lowercased()).inserted {
                diagnostics.error("projects: `\(project.repository)` is there twice", at: item.mark, hint: "merge them")
            }
            let used =
                [(project.agent, item.value("agent"))]
                + zip(project.routes, item.items("routes")).map {
                    ($0.agent, $1.value("agent"))
                }
            for (agent, place) in used where configuration.agents[agent] == nil {
                let near = nearest(agent, in: names).map { "did you mean `\($0)`?" }
                diagnostics.error(
                    "projects: no agent `\(agent)`", at: place?.mark ?? item.mark,
                    hint: near ?? "there are \(names.joined(separator: ", "))")
            }
        }
        if configuration.projects.isEmpty {
            diagnostics.error(
                "projects is empty", at: node.value("projects")?.mark ?? node.mark,
                hint: "projects: [{repository: owner/name}]")
        }
    }
}
