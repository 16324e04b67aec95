import Rendering
import Specs

/// What deployments have of this host, which differs by what runs them.
struct HostTies: Hashable, Sendable {
    /// When the very images that were pushed run, instead of those of this host's store.
    enum PublishedImages: Hashable, Sendable {
        case never, whereRegistryIsNamed, always
    }

    /// Host ports are chosen here where the files leave them open; a cluster chooses its node ports itself.
    var choosesPorts = false
    /// Users are numbers: a name is looked up in its image.
    var numbersUsers = true
    var publishedImages = PublishedImages.never
    /// Its nodes have directories of this host at paths of their own: ``KindPaths``.
    var mapsHostPaths = false
    /// What runs is found by its labels alone, also where the files cannot be read.
    var isFoundByLabels = false
    /// Nobody here knows its addresses and disks, or how safe the way to it is.
    var isElsewhere = false

    func runsPublishedImages(_ spec: Spec) -> Bool {
        switch publishedImages {
        case .never: false
        case .whereRegistryIsNamed: spec.imageRegistry != nil
        case .always: true
        }
    }
}

extension DeploymentTarget {
    var ties: HostTies {
        switch self {
        case .podman: HostTies(choosesPorts: true, numbersUsers: false, isFoundByLabels: true)
        case .kind: HostTies(publishedImages: .whereRegistryIsNamed, mapsHostPaths: true)
        case .kubernetes: HostTies(publishedImages: .always, isElsewhere: true)
        }
    }
}

extension Spec {
    var ties: HostTies { (deployTo ?? .podman).ties }
}

extension RenderOptions {
    /// Those of a deployment that is rendered for no target are nobody's.
    var ties: HostTies { DeploymentTarget(rawValue: target.rawValue)?.ties ?? HostTies() }
}

extension Identity {
    /// Those of the target that the deployment was made for.
    var ties: HostTies { DeploymentTarget(rawValue: target)?.ties ?? HostTies() }
}
