import FoundationEssentials
import Rendering
import Runtimes
import Specs
import SystemCrypto

/// Where the deployment of something is kept that runs without a directory of the user's own: a stack of `so deploy up`, a compose project.
package struct KeptPlace: Hashable, Sendable {
    /// Absolute.
    package var directory: String
    /// What labels, and the namespace behind `so-`, use.
    package var name: String

    package var namespace: String { Names.label("so-\(name)") }
    /// Whether it was brought up before.
    package var exists: Bool { Files.exists("\(directory)/deployment.yml") }
}

/// Finds the place for a name and where its files come from. Two sources of one name get a place each, the second with a part of its
/// source's digest in the name; a name that the user chose is one place, whose second source is refused.
///
/// - Parameter state: see ``hostStateDirectory(_:)``.
/// - Throws: ``DeploymentError`` (`notPermitted`) where a chosen name is another source's.
package func keptPlace(
    _ name: String, of source: String, isChosen: Bool, state: String
) throws -> KeptPlace {
    let plain = keptPlace(named: name, state: state)
    let other = try plain.exists ? DeploymentDirectory.open(plain.directory).identity.stackSource : source
    if isChosen, other != source {
        throw DeploymentError(
            .notPermitted, "\(name) runs already, from \(other) and not from \(source)", hint: "take another name")
    }
    let own = keptPlace(named: "\(name)-\(sha256Hex(source).prefix(8))", state: state)
    return other != source || own.exists && !isChosen ? own : plain
}

/// The places of what was brought up from a directory, or from the nearest one above it: known without reading a compose file.
package func keptPlaces(near directory: String, state: String) -> [KeptPlace] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(state)/deployments")) ?? []
    let places = names.sorted().map { keptPlace(named: $0, state: state) }.filter(\.exists)
    let sources = places.compactMap { place in
        (try? DeploymentDirectory.open(place.directory).identity.stackSource).map { (place, $0) }
    }
    let nearest = sources.map(\.1).filter { directory.isPath(atOrBelow: $0) }.max { $0.count < $1.count }
    return sources.filter { $0.1 == nearest }.map(\.0)
}

/// The place of a name, whatever runs there.
package func keptPlace(named name: String, state: String) -> KeptPlace {
    KeptPlace(directory: Files.canonical("\(state)/deployments/\(name)"), name: name)
}
