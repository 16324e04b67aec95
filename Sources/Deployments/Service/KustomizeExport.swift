package import Rendering
import Runtimes

/// A kustomize base in a directory, decided and not written yet; the path is as the user has written it.
package struct KustomizeExport: Sendable {
    package let files: [ExportedFile]
    private let directory: String

    package init(_ rendered: RenderedDeployment, directory: String) throws {
        files = try KustomizeBase(rendered).files
        self.directory = directory
    }

    /// Writes the files, and removes what an earlier export wrote and this one does not: it would go on being applied.
    package func write() throws {
        try Files.makeDirectory(directory)
        let names = Set(files.map(\.path))
        for name in try Files.list(directory) where name.hasSuffix(".yaml") && !names.contains(name) {
            let path = "\(directory)/\(name)"
            guard !Files.isDirectory(path), try Files.read(path).starts(with: KustomizeBase.header.utf8) else {
                continue
            }
            try Files.remove(path)
        }
        for file in files { try Files.write(Array(file.text.utf8), to: "\(directory)/\(file.path)") }
    }
}
