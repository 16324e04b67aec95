/// Non-secret files and values; `binaryData` holds base64.
package struct ConfigMap: KubernetesResource {
    package private(set) var apiVersion = "v1"
    package private(set) var kind = "ConfigMap"
    package var metadata: ObjectMeta
    package var data: StringMap?
    package var binaryData: StringMap?

    package init(metadata: ObjectMeta, data: StringMap? = nil, binaryData: StringMap? = nil) {
        self.metadata = metadata
        self.data = data
        self.binaryData = binaryData
    }
}
