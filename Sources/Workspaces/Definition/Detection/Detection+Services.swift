import Compose
import YAML

extension Detection {
    /// The first of the names that compose looks for: https://docs.docker.com/compose/intro/compose-application-model/
    private var composeFile: String? {
        ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"].first { exists($0) }
    }

    mutating func detectCompose() {
        if let composeFile { propose("compose", composeFile, mark(composeFile)) }
    }

    /// Values of a .env may be secrets: only the names count, and of an address its scheme.
    mutating func detectEnvironment() {
        for name in [".env", ".env.example"] {
            guard exists(name), let bytes = try? tree.read("\(directory)/\(name)") else { continue }
            var ignored = Diagnostics()
            for line in environmentAssignments(bytes, file: name, diagnostics: &ignored) {
                detect(line.name, line.value ?? "", mark(name, line.mark.line))
            }
        }
        if exists(".env"),
            let line = lines(".gitignore")?.first(where: { [".env", "/.env", ".env*"].contains($0.text) })
        {
            propose("copy", ".env", mark(".gitignore", line.number))
        }
    }

    private mutating func detect(_ name: String, _ value: String, _ mark: Mark) {
        // What the project's own compose file runs is not run twice.
        guard composeFile == nil else { return }
        let value = value.lowercased()
        let schemes = [
            ("postgres", "postgresql"), ("pgsql", "postgresql"), ("mysql", "mysql"), ("mariadb", "mariadb"),
            ("mongodb", "mongodb"), ("redis", "redis"),
        ]
        if name == "DATABASE_URL" || name == "DB_CONNECTION" || name.hasSuffix("_URL") || name.hasSuffix("_URI") {
            if let found = schemes.first(where: { value.hasPrefix($0.0) }) { propose("databases", found.1, mark) }
        }
        let names = [
            ("REDIS_HOST", "redis"), ("REDIS_URL", "redis"), ("POSTGRES_HOST", "postgresql"), ("PGHOST", "postgresql"),
            ("MYSQL_HOST", "mysql"), ("MONGO_HOST", "mongodb"), ("MONGODB_URI", "mongodb"),
        ]
        if let found = names.first(where: { $0.0 == name }) { propose("databases", found.1, mark) }
        if name == "PORT" || name == "APP_PORT", let port = Int(value), (1...65535).contains(port) {
            propose("ports", "\(port)", mark)
        }
    }
}
