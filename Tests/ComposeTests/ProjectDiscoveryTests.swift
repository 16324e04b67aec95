import OrderedCollections
import Testing
import YAML

@testable import Compose

@Suite struct ProjectDiscoveryTests {
    private func find(
        _ files: [String: String], from directory: String = "/p", environment: [String: String] = [:],
        _ change: (inout ProjectRequest) -> Void = { _ in }
    ) -> (found: FoundProject?, project: Project?) {
        var request = ProjectRequest(environment: environment, workingDirectory: directory)
        change(&request)
        let tree = FileTree.memory(texts: files)
        guard let found = findProject(request, tree: tree) else { return (nil, nil) }
        var diagnostics = Diagnostics()
        let project = loadProject(files: found.files, options: found.options, tree: tree, diagnostics: &diagnostics)
        #expect(!diagnostics.hasErrors, "\(diagnostics.list)")
        return (found, project)
    }

    private let web = "services: {web: {image: 'web:${TAG:-none}'}}"

    @Test func `files are found here or upward, with their override file`() {
        let files = ["/p/compose.yaml": web, "/p/compose.override.yaml": "services: {db: {image: db}}"]
        for place in ["/p", "/p/src/deep"] {
            let (found, project) = find(files, from: place)
            #expect(found?.files == ["/p/compose.yaml", "/p/compose.override.yaml"])
            #expect(found?.directory == "/p" && project?.name == "p")
            #expect(project.map { Array($0.services.keys) } == ["web", "db"])
        }
        #expect(find(files, from: "/q").found == nil)
    }

    @Test func `named files win over COMPOSE_FILE, and that over the default names`() {
        let files = ["/p/compose.yaml": web, "/p/a.yml": web, "/p/sub/b.yml": web, "/o/c.yml": web]
        let environment = ["COMPOSE_FILE": "a.yml:sub/b.yml"]
        #expect(find(files, environment: environment).found?.files == ["/p/a.yml", "/p/sub/b.yml"])
        let separated = ["COMPOSE_FILE": "a.yml;sub/b.yml", "COMPOSE_PATH_SEPARATOR": ";"]
        #expect(find(files, environment: separated).found?.files == ["/p/a.yml", "/p/sub/b.yml"])
        let (found, _) = find(files, environment: environment) { $0.files = ["../o/c.yml"] }
        #expect(found?.files == ["/o/c.yml"] && found?.directory == "/o")
    }

    @Test func `dot env may name files, project and profiles, and the environment wins over it`() {
        let files = [
            "/p/.env": "COMPOSE_FILE=x.yml\nCOMPOSE_PROJECT_NAME=named\nCOMPOSE_PROFILES=extra\nTAG=file",
            "/p/x.yml": web + "\n# more", "/p/compose.yaml": "services: {}",
        ]
        let (_, project) = find(files)
        #expect(project?.name == "named" && project?.services["web"]?.image == "web:file")
        #expect(project?.profiles == ["extra"])
        let (_, other) = find(files, environment: ["TAG": "shell", "COMPOSE_PROJECT_NAME": "other"])
        #expect(other?.name == "other" && other?.services["web"]?.image == "web:shell")
        #expect(find(files) { $0.name = "flag" }.project?.name == "flag")
    }

    @Test func `an env file replaces dot env, and a project directory moves it`() {
        let files = [
            "/p/compose.yaml": web, "/p/.env": "TAG=dot", "/p/prod.env": "TAG=prod", "/d/.env": "TAG=moved",
        ]
        #expect(find(files) { $0.envFiles = ["prod.env"] }.project?.services["web"]?.image == "web:prod")
        let (found, project) = find(files) {
            $0.files = ["compose.yaml"]
            $0.directory = "/d"
        }
        #expect(found?.directory == "/d" && project?.services["web"]?.image == "web:moved")
    }

    @Test func `dot env of the working directory counts where the project stands elsewhere`() {
        let files = ["/p/compose.yaml": web, "/p/.env": "TAG=project", "/p/sub/.env": "TAG=here"]
        #expect(find(files, from: "/p/sub").project?.services["web"]?.image == "web:here")
    }

    @Test func `a variable that nothing sets can be set in the environment`() {
        var request = ProjectRequest(environment: [:], workingDirectory: "/p")
        request.files = ["/p/compose.yaml"]
        let tree = FileTree.memory(texts: ["/p/compose.yaml": "services: {web: {image: 'web:${TAG}'}}"])
        var diagnostics = Diagnostics()
        if let found = findProject(request, tree: tree) {
            _ = loadProject(files: found.files, options: found.options, tree: tree, diagnostics: &diagnostics)
        }
        #expect(diagnostics.list.first?.hint == "set TAG in .env or the environment, or write ${TAG:-default}")
    }
}
