package import Runtimes
import Specs

/// Which of a stack's images are meant, by name with or without what stands before it: `cerc/foundry` or `foundry`.
package struct ImageFilter: Hashable, Sendable {
    /// Nil: all.
    package var included: [String]?
    package var excluded: [String]

    package init(included: [String]? = nil, excluded: [String] = []) {
        self.included = included
        self.excluded = excluded
    }

    package func chosen(_ images: [String]) -> [String] {
        images.filter { image in
            included?.contains { Self.matches(image, $0) } ?? true && !excluded.contains { Self.matches(image, $0) }
        }
    }

    /// - Throws: ``DeploymentError`` (`missing`) for a name of the filter that none of the images has.
    /// - Parameter images: those of one stack, or of every stack.
    package func check(_ images: [String], ofAllStacks: Bool = false) throws(DeploymentError) {
        for name in (included ?? []) + excluded where !images.contains(where: { Self.matches($0, name) }) {
            throw DeploymentError(
                .missing, ofAllStacks ? "no stack has an image \(name)" : "the stack has no image \(name)",
                hint: images.isEmpty ? "none is built" : "there are \(Set(images).sorted().joined(separator: ", "))")
        }
    }

    private static func matches(_ image: String, _ name: String) -> Bool {
        let bare = ImageName(image)?.path ?? image
        return image == name || bare == name || bare.hasSuffix("/" + name)
    }
}
