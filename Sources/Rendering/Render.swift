package import Compose
import KubernetesObjects
package import Specs
package import YAML

/// Renders a layered project to the objects that run it.
///
/// Pure: files are read through `tree` only. Keys without an equivalent are warnings (errors if `options.isStrict`), what
/// cannot be honoured is an error; all of them are reported at once. With errors the result is good for nothing but reading.
package func render(
    _ project: LayeredProject, options: RenderOptions, tree: FileTree, diagnostics: inout Diagnostics
) -> RenderedDeployment {
    Rendition(project, options: options, tree: tree, diagnostics: &diagnostics).deployment
}
