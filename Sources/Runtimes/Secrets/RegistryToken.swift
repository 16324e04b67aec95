import Rendering

extension RegistryCredential {
    /// The token of the login, from where the spec says.
    ///
    /// - Parameter environment: the operator's.
    /// - Throws: ``DeploymentError`` (`missing`) where there is none.
    func token(environment: [String: String]) throws(DeploymentError) -> String {
        if let path = tokenFile {
            guard let bytes = try PrivateFile.read(path) else {
                throw DeploymentError(.missing, "the token file \(path) for the registry \(server) does not exist")
            }
            return String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
        }
        let name = tokenEnvironment ?? ""
        guard let token = environment[name], !token.isEmpty else {
            throw DeploymentError(
                .missing, "no token for the registry \(server)", hint: "set \(name) in the environment of so")
        }
        return token
    }
}
