package import OrderedCollections
package import YAML

/// An entry of a service's `volumes`, in long form.
package struct VolumeMount: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case bind, volume, tmpfs, image, npipe, cluster
    }

    package var kind: Kind
    /// bind: an absolute path of the host. volume: a key of the project's volumes; nil for an anonymous volume. image: a reference.
    package var source: String?
    /// The source as written, after interpolation.
    package var writtenSource: String?
    /// Where it stands in the container; absolute in a sound file.
    package var target: String
    package var isReadOnly: Bool = false
    package var consistency: String?
    package var bind: BindOptions?
    package var volume: VolumeOptions?
    package var tmpfs: TmpfsOptions?
    /// `image.subpath`.
    package var imageSubpath: String?
    package var mark: Mark

    package init(kind: Kind, source: String?, target: String, mark: Mark = .generated) {
        self.kind = kind
        self.source = source
        self.writtenSource = source
        self.target = target
        self.mark = mark
    }
}

package struct BindOptions: Hashable, Sendable {
    package var propagation: String?
    /// True unless the file says otherwise.
    package var createHostPath: Bool = true
    /// `enabled`, `disabled`, `writable` or `readonly`.
    package var recursive: String?
    /// `z` or `Z`.
    package var selinux: String?

    package init() {}
}

package struct VolumeOptions: Hashable, Sendable {
    package var labels: OrderedDictionary<String, String> = [:]
    package var nocopy: Bool = false
    package var subpath: String?

    package init() {}
}

package struct TmpfsOptions: Hashable, Sendable {
    /// Bytes.
    package var size: Int64?
    /// Permission bits.
    package var mode: UInt32?

    package init() {}
}

/// An entry of a service's `tmpfs`: `/run` or `/run:size=64m,mode=1777,uid=1000,noexec`.
package struct TmpfsMount: Hashable, Sendable {
    package var target: String
    /// The options as written, without those that ``size`` and ``mode`` hold.
    package var options: [String]
    /// Bytes.
    package var size: Int64?
    /// Permission bits.
    package var mode: UInt32?
    package var mark: Mark

    package init(
        target: String, options: [String] = [], size: Int64? = nil, mode: UInt32? = nil, mark: Mark = .generated
    ) {
        self.target = target
        self.options = options
        self.size = size
        self.mode = mode
        self.mark = mark
    }
}

/// An entry of `volumes_from`: `[container:]name[:ro|rw]`.
package struct VolumesFrom: Hashable, Sendable {
    /// A service, or a container that compose does not manage.
    package var name: String
    package var isContainer: Bool
    package var isReadOnly: Bool
    package var mark: Mark

    package init(name: String, isContainer: Bool = false, isReadOnly: Bool = false, mark: Mark = .generated) {
        self.name = name
        self.isContainer = isContainer
        self.isReadOnly = isReadOnly
        self.mark = mark
    }
}

/// A project's volume.
package struct Volume: Hashable, Sendable {
    /// The key under `volumes`.
    package var key: String
    /// The name on the engine: `name:`, else `<project>_<key>`, else the key if it is external.
    package var name: String
    /// Whether `name:` was written.
    package var isNamed: Bool = false
    package var isExternal: Bool = false
    package var driver: String?
    package var driverOpts: OrderedDictionary<String, String> = [:]
    package var labels: OrderedDictionary<String, String> = [:]
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var keys: [String: Mark] = [:]
    package var mark: Mark

    package init(key: String, name: String, mark: Mark = .generated) {
        self.key = key
        self.name = name
        self.mark = mark
    }

    /// The path of the host that the volume stands for: a bind mount in disguise. Nil for any other volume.
    package var boundDevice: String? {
        let isBind = Self.isBind(driver: driver, type: driverOpts["type"], options: driverOpts["o"])
        return isBind ? driverOpts["device"] : nil
    }

    /// Whether options of the local driver, which is the one without a name too, are those of a bind mount, mount(8):
    /// <https://docs.docker.com/reference/cli/docker/volume/create/#opt>.
    ///
    /// - Parameter options: what stands in `o`, with commas between.
    static func isBind(driver: String?, type: String?, options: String?) -> Bool {
        guard ["", "local", "default"].contains(driver ?? ""), !["nfs", "nfs4", "tmpfs"].contains(type) else {
            return false
        }
        return (options ?? "").split(separator: ",").contains { ["bind", "rbind"].contains($0) }
    }
}

/// An entry of a service's `configs` or `secrets`, in long form.
package struct FileReference: Hashable, Sendable {
    /// The key under the project's configs or secrets.
    package var source: String
    /// As written; nil: `/<source>` for a config, `/run/secrets/<source>` for a secret. A relative target of a secret stands
    /// under `/run/secrets`.
    package var target: String?
    package var uid: String?
    package var gid: String?
    /// Permission bits; nil: 0444.
    package var mode: UInt32?
    package var mark: Mark

    package init(source: String, target: String? = nil, mode: UInt32? = nil, mark: Mark = .generated) {
        self.source = source
        self.target = target
        self.mode = mode
        self.mark = mark
    }
}

/// What a config or secret holds.
package enum FileSource: Hashable, Sendable {
    /// A file of the host; absolute.
    case file(String)
    /// The value of a variable, with what the scope holds under that name.
    case environment(name: String, value: Variable?)
    /// Text in the compose file.
    case content(TemplateText)
    /// It exists already under the object's name.
    case external
    /// A driver of the engine provides it: not supported by any runtime here.
    case driver(String)
}

/// A project's config.
package struct Config: Hashable, Sendable {
    package var key: String
    /// As for ``Volume/name``.
    package var name: String
    package var isNamed: Bool = false
    package var source: FileSource
    package var templateDriver: String?
    package var labels: OrderedDictionary<String, String> = [:]
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var keys: [String: Mark] = [:]
    package var mark: Mark

    package init(key: String, name: String, source: FileSource, mark: Mark = .generated) {
        self.key = key
        self.name = name
        self.source = source
        self.mark = mark
    }
}

/// A project's secret.
package struct Secret: Hashable, Sendable {
    package var key: String
    /// As for ``Volume/name``.
    package var name: String
    package var isNamed: Bool = false
    package var source: FileSource
    package var driverOpts: OrderedDictionary<String, String> = [:]
    package var templateDriver: String?
    package var labels: OrderedDictionary<String, String> = [:]
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var keys: [String: Mark] = [:]
    package var mark: Mark

    package init(key: String, name: String, source: FileSource, mark: Mark = .generated) {
        self.key = key
        self.name = name
        self.source = source
        self.mark = mark
    }
}
