import YAML

extension Detection {
    mutating func detectPython() {
        if let line = lines(".python-version")?.first(where: { !$0.text.isEmpty }) {
            propose("python", version: line.text, mark(".python-version", line.number))
        }
        if let lines = lines("pyproject.toml") {
            let line = lines.first { $0.text.hasPrefix("requires-python") || $0.text.hasPrefix("python =") }
            propose("python", version: line?.text.afterEquals ?? "", mark("pyproject.toml", line?.number ?? 1))
        }
        let setups = [
            ("uv.lock", "pip install uv && uv sync"), ("poetry.lock", "pip install poetry && poetry install"),
            ("requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"),
            ("pyproject.toml", "python3 -m venv .venv && .venv/bin/pip install -e ."),
        ]
        guard let setup = setups.first(where: { exists($0.0) }) else { return }
        propose("python", version: "", mark(setup.0))
        propose("setup", setup.1, mark(setup.0))
    }

    mutating func detectNode() {
        for name in [".nvmrc", ".node-version"] {
            guard let line = lines(name)?.first(where: { !$0.text.isEmpty }) else { continue }
            propose("node", version: line.text, mark(name, line.number))
        }
        guard let package = json("package.json")?.mapping else { return }
        let engine = package["engines"]?.mapping?["node"]
        propose("node", version: engine?.text ?? "", mark("package.json", engine?.mark.line ?? 1))
        let setups = [
            ("package-lock.json", "npm ci"), ("yarn.lock", "yarn install --frozen-lockfile"),
            ("pnpm-lock.yaml", "npx --yes pnpm install --frozen-lockfile"), ("package.json", "npm install"),
        ]
        if let setup = setups.first(where: { exists($0.0) }) { propose("setup", setup.1, mark(setup.0)) }
        for section in ["dependencies", "devDependencies"] {
            for entry in package[section]?.mapping?.entries ?? []
            where ["playwright", "@playwright/test"].contains(entry.key) {
                propose("frameworks", "playwright", mark("package.json", entry.keyMark.line))
            }
        }
    }

    mutating func detectOthers() {
        if let lines = lines("go.mod") {
            let line = lines.first { $0.text.hasPrefix("go ") }
            propose("go", version: line.map { String($0.text.dropFirst(3)) } ?? "", mark("go.mod", line?.number ?? 1))
            propose("setup", "go mod download", mark("go.mod"))
        }
        if let lines = lines("Cargo.toml") {
            let line = lines.first { $0.text.hasPrefix("rust-version") }
            propose("rust", version: ">=" + (line?.text.afterEquals ?? "1.90"), mark("Cargo.toml", line?.number ?? 1))
            propose("setup", "cargo fetch", mark("Cargo.toml"))
        }
        if let lines = lines("pom.xml") {
            let names = ["maven.compiler.release", "java.version", "maven.compiler.source"]
            let found = lines.lazy.compactMap { line in
                names.lazy.compactMap { line.text.content(of: $0) }.first.map { (line.number, $0) }
            }.first
            propose("java", version: found?.1 ?? "", mark("pom.xml", found?.0 ?? 1))
            propose("tools", "maven", mark("pom.xml"))
            propose("setup", "mvn -q dependency:go-offline", mark("pom.xml"))
        }
        if let lines = lines("Gemfile") {
            let line = lines.first { $0.text.hasPrefix("ruby ") }
            propose("ruby", version: line?.text ?? "", mark("Gemfile", line?.number ?? 1))
            propose("setup", "bundle install", mark("Gemfile"))
        }
    }

    mutating func detectPHP() {
        guard let composer = json("composer.json")?.mapping else { return }
        let required = composer["require"]?.mapping
        propose("php", version: required?["php"]?.text ?? "", mark("composer.json", required?["php"]?.mark.line ?? 1))
        propose("tools", "composer", mark("composer.json"))
        propose("setup", "composer install", mark("composer.json"))
        if let laravel = required?.keyMark("laravel/framework") {
            propose("frameworks", "laravel", mark("composer.json", laravel.line))
            propose("ports", "8000", mark("composer.json", laravel.line))
        }
    }
}

extension String {
    /// `"1.2"` of `key = "1.2"`.
    fileprivate var afterEquals: String? {
        firstIndex(of: "=").map { String(self[index(after: $0)...]) }
    }

    /// The text of an XML element on one line.
    fileprivate func content(of element: String) -> String? {
        guard let open = range(of: "<\(element)>"), let close = range(of: "</\(element)>"),
            open.upperBound <= close.lowerBound
        else { return nil }
        return String(self[open.upperBound..<close.lowerBound])
    }

    private func range(of text: String) -> Range<String.Index>? {
        ranges(of: text).first
    }
}
