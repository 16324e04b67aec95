/// An amount of CPUs or bytes with its unit: `5Gi` is 5·2³⁰, `5G` 5·10⁹, `500m` a half.
///
/// Rule: Kubernetes' resource.Quantity, <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>, and
/// docker's suffixes: `k` and a `b` behind the unit (`512mb`, `2GB`).
package struct Quantity: Hashable, Sendable, CustomStringConvertible {
    /// In thousandths of a CPU or byte, rounded up.
    package var thousandths: Int64
    /// As Kubernetes writes it.
    package var text: String

    /// The amount in whole CPUs or bytes, rounded up.
    package var wholes: Int64 { thousandths / 1000 + (thousandths % 1000 > 0 ? 1 : 0) }

    package var description: String { text }
}
