/// Secret values: `data` holds base64, `stringData` plain text. Never printed, never in rendered output.
package struct Secret: KubernetesResource {
    package private(set) var apiVersion = "v1"
    package private(set) var kind = "Secret"
    package var metadata: ObjectMeta
    package var type: String?
    package var data: StringMap?
    package var stringData: StringMap?

    package init(metadata: ObjectMeta, type: String = "Opaque", data: StringMap? = nil) {
        self.metadata = metadata
        self.type = type
        self.data = data
    }
}
