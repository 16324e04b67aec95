/// What every kind has.
package protocol KubernetesResource: Codable, Hashable, Sendable {
    var apiVersion: String { get }
    var kind: String { get }
    var metadata: ObjectMeta { get set }
}
