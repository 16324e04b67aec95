/// How much of a document is taken before it is refused, so that a hostile one costs milliseconds and little memory.
package struct YAMLLimits: Sendable, Hashable {
    /// The input's size in bytes.
    package var bytes: Int
    /// How deeply collections nest, after aliases are expanded.
    package var depth: Int
    /// How many values and keys the input holds, after aliases are expanded.
    package var nodes: Int
    /// How many bytes of text the input holds, after aliases are expanded.
    package var expandedBytes: Int

    package init(bytes: Int, depth: Int, nodes: Int, expandedBytes: Int) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
        self.expandedBytes = expandedBytes
    }

    /// Room for a compose file of some thousand services; every recursion over a node stays shallow.
    package static let standard = YAMLLimits(
        bytes: 16 << 20, depth: 128, nodes: 1_000_000, expandedBytes: 64 << 20)
}
