/// What a secret looks like: used to keep secrets out of comments, logs and pushed commits.
enum SecretPattern {
    /// Each with what it is, as a message names it.
    static var all: [(name: String, pattern: Regex<Substring>)] {
        [
            ("a token of GitHub", /gh[pousr]_[A-Za-z0-9._\-]{36,}/),
            ("a token of GitHub", /github_pat_[A-Za-z0-9_]{40,}/),
            ("a token of GitLab", /gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_\-]{20,}/),
            ("a key of Anthropic", /sk-ant-[A-Za-z0-9_\-]{20,}/),
            ("a key of OpenAI", /sk-(?:proj-|svcacct-)?[A-Za-z0-9_\-]{32,}/),
            ("an access key of AWS", /(?:AKIA|ASIA)[0-9A-Z]{16}/),
            ("a key of Google", /AIza[0-9A-Za-z_\-]{35}/),
            ("a token of Slack", /xox[abprs]-[0-9A-Za-z\-]{10,}/),
            ("a token of npm", /npm_[A-Za-z0-9]{36}/),
            ("a token of Vault", /hv[sb]\.[A-Za-z0-9_\-]{24,}/),
            ("a private key", /-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY-----/),
        ]
    }

    /// What kind of secret a text holds; nil where it holds none that is known.
    static func found(in text: String) -> String? {
        guard mayHold(text) else { return nil }
        return all.first { text.firstMatch(of: $0.pattern) != nil }?.name
    }

    /// Cheap, and true for every text that a pattern matches.
    private static func mayHold(_ text: String) -> Bool {
        text.utf8.count >= 15
            && ["gh", "gl", "sk-", "AKIA", "ASIA", "AIza", "xox", "npm_", "hv", "-----BEGIN"].contains {
                text.contains($0)
            }
    }
}

/// The text without what looks like a secret.
package func redacted(_ text: String) -> String {
    guard SecretPattern.found(in: text) != nil else { return text }
    return SecretPattern.all.reduce(text) { $0.replacing($1.pattern, with: "[redacted]") }
}
