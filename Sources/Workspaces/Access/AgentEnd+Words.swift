import AgentLoop
import Egress

extension AgentEnd {
    /// The tokens that the run used, in words; nil where the agent does not say.
    package var tokens: String? {
        usage.map { "tokens: \($0.input) in, \($0.cacheRead + $0.cacheWrite) cached, \($0.output) out" }
    }
}
