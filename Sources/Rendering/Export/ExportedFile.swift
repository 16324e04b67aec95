/// One file of an export: a chart or a kustomize base.
package struct ExportedFile: Hashable, Sendable {
    /// Relative to the export's directory.
    package var path: String
    package var text: String
}
