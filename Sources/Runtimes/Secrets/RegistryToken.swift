package import Rendering

extension RegistryCredential {
    /// The token of the login, from where the spec or the command line says.
    ///
    /// - Parameter environment: the operator's.
    /// - Throws: ``DeploymentError`` (`missing`) where there is none.
    package func token(environment: [String: String]) throws(DeploymentError) -> String {
        if let path = tokenFile {
            guard let bytes = try PrivateFile.read(path) else {
                throw DeploymentError(.missing, "the token file \(path) for the registry \(server) does not exist")
            }
            let token = String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
            if token.isEmpty {
                throw DeploymentError(.missing, "the token file \(path) for the registry \(server) is empty")
            }
            return token
        }
        guard let name = tokenEnvironment else {
            throw DeploymentError(
                .missing, "no token for \(username) at the registry \(server)",
                hint: "name the variable or the file that holds it")
        }
        guard let token = environment[name], !token.isEmpty else {
            throw DeploymentError(
                .missing, "no token for the registry \(server)", hint: "set \(name) in the environment of so")
        }
        return token
    }
}
