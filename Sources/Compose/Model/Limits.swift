package import OrderedCollections
package import YAML

/// An entry of `ulimits`.
package struct Ulimit: Hashable, Sendable {
    /// -1 is unlimited.
    package var soft: Int64
    /// -1 is unlimited.
    package var hard: Int64

    package init(soft: Int64, hard: Int64) {
        self.soft = soft
        self.hard = hard
    }
}

/// An entry of `devices`: `source[:target[:permissions]]`, or a CDI name as source.
package struct DeviceMapping: Hashable, Sendable {
    package var source: String
    /// The source where none was written.
    package var target: String
    /// Some of `rwm`.
    package var permissions: String
    package var mark: Mark

    package init(source: String, target: String? = nil, permissions: String = "rwm", mark: Mark = .generated) {
        self.source = source
        self.target = target ?? source
        self.permissions = permissions
        self.mark = mark
    }
}

/// An entry of `gpus` or of `deploy.resources.reservations.devices`.
package struct DeviceRequest: Hashable, Sendable {
    package enum Count: Hashable, Sendable {
        case all
        case number(Int)
    }

    package var capabilities: [String] = []
    package var driver: String?
    /// nil: not written; compose takes all unless device_ids are given.
    package var count: Count?
    package var deviceIDs: [String] = []
    package var options: OrderedDictionary<String, String> = [:]
    package var mark: Mark

    package init(mark: Mark = .generated) {
        self.mark = mark
    }
}

package struct BlkioConfig: Hashable, Sendable {
    /// A rate (bytes or operations per second) or a weight for one device.
    package struct Device: Hashable, Sendable {
        package var path: String
        package var value: Int64

        package init(path: String, value: Int64) {
            self.path = path
            self.value = value
        }
    }

    package var weight: Int64?
    package var weightDevice: [Device] = []
    package var deviceReadBps: [Device] = []
    package var deviceReadIops: [Device] = []
    package var deviceWriteBps: [Device] = []
    package var deviceWriteIops: [Device] = []

    package init() {}
}

package struct Logging: Hashable, Sendable {
    package var driver: String?
    package var options: OrderedDictionary<String, String> = [:]

    package init() {}
}

package struct CredentialSpec: Hashable, Sendable {
    package var config: String?
    /// Absolute.
    package var file: String?
    package var registry: String?

    package init() {}
}

package struct Provider: Hashable, Sendable {
    package var type: String
    package var options: OrderedDictionary<String, [String]> = [:]

    package init(type: String) {
        self.type = type
    }
}

/// A project's model.
package struct Model: Hashable, Sendable {
    package var key: String
    package var name: String?
    package var model: String
    package var contextSize: Int?
    package var runtimeFlags: [String] = []
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var mark: Mark

    package init(key: String, model: String, mark: Mark = .generated) {
        self.key = key
        self.model = model
        self.mark = mark
    }
}

/// A service's use of a model.
package struct ServiceModel: Hashable, Sendable {
    package var endpointVar: String?
    package var modelVar: String?
    package var mark: Mark

    package init(mark: Mark = .generated) {
        self.mark = mark
    }
}
