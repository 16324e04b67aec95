package import OrderedCollections
package import YAML

/// The databases beside an agent, as services of its stack.
package struct Companions: Sendable {
    /// `services:` of a compose file, by name.
    package private(set) var services: OrderedDictionary<String, Node> = [:]
    package private(set) var volumes: OrderedDictionary<String, Node> = [:]
    /// Variables of the spec's `config`: generated passwords, which compose files name as `${…}`.
    package private(set) var config: OrderedDictionary<String, String> = [:]
    /// Databases of this host, which the agent finds under their names.
    package private(set) var hostServices: [HostService] = []
    /// Of the agent's service, in the words of compose: what an application looks for.
    package private(set) var agentEnvironment: OrderedDictionary<String, String> = [:]

    /// - Parameter networks: the networks of compose that they are in.
    package init(_ definition: WorkspaceDefinition, settings: UserSettings, networks: [String]) {
        for database in definition.databases {
            let recipe = DatabaseRecipe(database.kind)
            let name = database.kind.rawValue
            guard case .companion(let version) = database.place else {
                hostServices.append(HostService(name: name, port: recipe.port))
                agentEnvironment.merge(recipe.hostEnvironment(host: name)) { $1 }
                continue
            }
            let wanted = version ?? recipe.version
            let image =
                settings.databaseImages[name]?.replacing("{version}", with: wanted)
                ?? settings.official("\(recipe.image):\(wanted)")
            var keys: [(String, Node)] = [
                ("image", .string(image)),
                ("volumes", .list([.string("\(name)-data:\(recipe.dataDirectory)")])),
                ("healthcheck", Self.health(recipe.check)), ("restart", .string("unless-stopped")),
                ("security_opt", .list([.string("no-new-privileges:true")])),
            ]
            if !recipe.environment.isEmpty {
                keys.append(("environment", .map(recipe.environment.map { ($0.key, .string($0.value)) })))
            }
            if !recipe.command.isEmpty { keys.append(("command", .list(recipe.command.map { .string($0) }))) }
            if !networks.isEmpty { keys.append(("networks", .list(networks.map { .string($0) }))) }
            services[name] = .map(keys)
            volumes["\(name)-data"] = .map([])
            if let variable = recipe.passwordVariable { config[variable] = "$generate:hex:16$" }
            agentEnvironment.merge(recipe.agentEnvironment(host: name)) { $1 }
        }
    }

    private static func health(_ check: [String]) -> Node {
        .map([
            ("test", .list(check.map { .string($0) })), ("interval", .string("1s")), ("timeout", .string("5s")),
            ("retries", .plain("120")),
        ])
    }
}

/// How one kind of database is run.
struct DatabaseRecipe {
    var image: String
    /// What is run where the definition names none: https://endoflife.date
    var version: String
    var dataDirectory: String
    var port: Int
    var check: [String]
    var environment: OrderedDictionary<String, String> = [:]
    var command: [String] = []
    var passwordVariable: String?
    private let kind: Database.Kind

    /// The name of the user and of the database that an application gets.
    static let application = "app"

    init(_ kind: Database.Kind) {
        self.kind = kind
        let app = Self.application
        let password = "SO_\(kind.rawValue.uppercased())_PASSWORD"
        switch kind {
        case .postgresql:
            (image, version, dataDirectory) = ("postgres", "17", "/var/lib/postgresql/data")
            port = 5432
            check = ["CMD", "pg_isready", "-q", "-h", "127.0.0.1", "-U", app]
            environment = ["POSTGRES_USER": app, "POSTGRES_DB": app, "POSTGRES_PASSWORD": "${\(password)}"]
            passwordVariable = password
        case .redis:
            (image, version, dataDirectory) = ("redis", "7", "/data")
            port = 6379
            check = ["CMD", "redis-cli", "ping"]
        case .mysql:
            (image, version, dataDirectory) = ("mysql", "8.4", "/var/lib/mysql")
            port = 3306
            check = ["CMD", "mysqladmin", "ping", "-h", "127.0.0.1"]
            environment = Self.mysql("MYSQL", password)
            passwordVariable = password
        case .mariadb:
            (image, version, dataDirectory) = ("mariadb", "11", "/var/lib/mysql")
            port = 3306
            check = ["CMD", "healthcheck.sh", "--connect", "--innodb_initialized"]
            environment = Self.mysql("MARIADB", password)
            passwordVariable = password
        case .mongodb:
            (image, version, dataDirectory) = ("mongo", "8", "/data/db")
            port = 27017
            check = ["CMD", "mongosh", "--quiet", "--eval", "db.runCommand({ping: 1})"]
        }
    }

    /// https://hub.docker.com/_/mysql, https://hub.docker.com/_/mariadb
    private static func mysql(_ prefix: String, _ password: String) -> OrderedDictionary<String, String> {
        [
            "\(prefix)_USER": application, "\(prefix)_DATABASE": application, "\(prefix)_PASSWORD": "${\(password)}",
            "\(prefix)_ROOT_PASSWORD": "${\(password)}",
        ]
    }

    /// Where the host's own is: its users and passwords are the project's to know.
    func hostEnvironment(host: String) -> OrderedDictionary<String, String> {
        switch kind {
        case .postgresql: ["PGHOST": host]
        case .redis: ["REDIS_HOST": host, "REDIS_URL": "redis://\(host):\(port)"]
        case .mysql, .mariadb: ["MYSQL_HOST": host]
        case .mongodb: ["MONGODB_URI": "mongodb://\(host):\(port)"]
        }
    }

    /// The names that libraries and frameworks look for.
    func agentEnvironment(host: String) -> OrderedDictionary<String, String> {
        let app = Self.application
        let password = passwordVariable.map { "${\($0)}" } ?? ""
        switch kind {
        case .postgresql:
            return [
                "PGHOST": host, "PGUSER": app, "PGDATABASE": app, "PGPASSWORD": password,
                "DATABASE_URL": "postgresql://\(app):\(password)@\(host):5432/\(app)",
            ]
        case .redis: return ["REDIS_HOST": host, "REDIS_URL": "redis://\(host):6379"]
        case .mysql, .mariadb:
            return [
                "MYSQL_HOST": host, "MYSQL_USER": app, "MYSQL_DATABASE": app, "MYSQL_PASSWORD": password,
                "MYSQL_URL": "mysql://\(app):\(password)@\(host):3306/\(app)",
            ]
        case .mongodb: return ["MONGODB_URI": "mongodb://\(host):27017"]
        }
    }
}
