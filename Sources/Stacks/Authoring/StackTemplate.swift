package import Specs

/// What a new stack starts from.
package enum StackTemplate: String, CaseIterable, Sendable {
    /// A web server with pages of its own, in an image that the stack builds.
    case webApp = "web-app"
    /// One service of a published image, with a health check and a configuration file.
    case service
    /// A web service and a PostgreSQL with a volume and a generated password.
    case database
    /// A stack.yml and nothing to run yet.
    case empty
}

/// A file of a new stack.
package struct NewStackFile: Hashable, Sendable {
    /// Relative to the root that holds stacks/, compose/ and config/.
    package var path: String
    package var text: String
    package var isExecutable = false

    package init(_ path: String, _ text: String, isExecutable: Bool = false) {
        self.path = path
        self.text = text
        self.isExecutable = isExecutable
    }
}

/// The files of a new stack; its stack.yml comes last, so that what is cut short is not a stack.
///
/// - Parameter name: a valid name, see ``checkedStackName(_:)``.
package func newStack(_ name: String, template: StackTemplate) -> [NewStackFile] {
    switch template {
    case .webApp: webApp(name)
    case .service: service(name)
    case .database: database(name)
    case .empty: [readme(name, "Nothing yet."), stackFile(name, "Describe \(name) here", pods: false)]
    }
}

/// The files of a stack that runs a compose file where it stands, below the stack's root.
///
/// Compose's own `include` keeps the file's directory and `.env`, so nothing is copied or rewritten.
/// - Parameters:
///   - composeFile: its path relative to the root.
package func newStack(_ name: String, composeFile: String) -> [NewStackFile] {
    let compose = """
        # The compose file runs as it stands: its relative paths and its .env keep their meaning.
        # https://github.com/compose-spec/compose-spec/blob/main/14-include.md
        include:
          - \(quoted("../" + composeFile))

        """
    return [
        NewStackFile("compose/docker-compose-\(name).yml", compose),
        readme(name, "Runs `\(composeFile)` of this repository."),
        stackFile(name, "What \(composeFile) runs", pods: true),
    ]
}

/// A name that can be a stack's: its directory, its compose file's name and its namespace are made of it.
///
/// - Throws: ``StackError`` (`refused`).
package func checkedStackName(_ name: String) throws(StackError) -> String {
    guard isName(name), name.utf8.count <= 60 else {
        throw StackError(
            .refused,
            "'\(name)' cannot be a stack's name",
            hint: "take at most 60 letters, digits, '.', '_' and '-', beginning with a letter or digit"
        )
    }
    return name
}

private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("$", with: "$$") + "\""
}

private func stackFile(_ name: String, _ summary: String, image: String? = nil, pods: Bool) -> NewStackFile {
    var text =
        "version: \"1.0\"\nname: \(quotedName(name))\ndescription: \(quoted(summary).replacing("$$", with: "$"))\n"
    if let image {
        text += "# Built by container-build/\(image.replacing("/", with: "-"))/, as \(image):local.\n"
        text += "containers:\n  - \(image)\n"
    }
    text +=
        pods ? "# Each pod is a file compose/docker-compose-<pod>.yml.\npods:\n  - \(quotedName(name))\n" : "pods: []\n"
    return NewStackFile("stacks/\(name)/stack.yml", text)
}

/// A name that YAML could take for a number stays a text.
private func quotedName(_ name: String) -> String { "\"\(name)\"" }

private func readme(_ name: String, _ summary: String) -> NewStackFile {
    NewStackFile(
        "stacks/\(name)/README.md",
        """
        # \(name)

        \(summary)

        ```
        so validate-stack stacks/\(name)
        so deploy init --stack stacks/\(name) --output spec.yml
        so deploy create --spec-file spec.yml --deployment-dir deployments/\(name)
        so deployment --dir deployments/\(name) start
        ```

        """)
}

private func webApp(_ name: String) -> [NewStackFile] {
    let image = "\(name.lowercased())/web"
    let build = "container-build/\(image.replacing("/", with: "-"))"
    return [
        NewStackFile(
            "\(build)/Containerfile",
            """
            FROM docker.io/library/nginx:1.29-alpine
            COPY site/ /usr/share/nginx/html/

            """),
        NewStackFile("\(build)/site/index.html", "<!doctype html>\n<title>\(name)</title>\n<h1>\(name)</h1>\n"),
        NewStackFile(
            "compose/docker-compose-\(name).yml",
            """
            services:
              web:
                image: \(image):local
                ports:
                  # `so deploy init` writes a free host port for it into the spec.
                  - "80"
                healthcheck:
                  test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1/"]
                  interval: 5s
                restart: unless-stopped

            """),
        readme(
            name, "A web server with pages of its own: `so build-containers --stack stacks/\(name)` builds its image."),
        stackFile(name, "A web server with pages of its own", image: image, pods: true),
    ]
}

private func service(_ name: String) -> [NewStackFile] {
    [
        NewStackFile(
            "config/\(name)/index.html", "<!doctype html>\n<title>\(name)</title>\n<h1>\(name)</h1>\n"),
        NewStackFile(
            "compose/docker-compose-\(name).yml",
            """
            services:
              web:
                image: docker.io/library/nginx:1.29-alpine
                environment:
                  # A default that the operator overrides under `config` in spec.yml.
                  GREETING: ${GREETING:-hello}
                ports:
                  # `so deploy init` writes a free host port for it into the spec.
                  - "80"
                volumes:
                  - ../config/\(name)/index.html:/usr/share/nginx/html/index.html:ro
                healthcheck:
                  test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1/"]
                  interval: 5s
                restart: unless-stopped

            """),
        readme(name, "One service of a published image."),
        stackFile(name, "One service of a published image", pods: true),
    ]
}

/// A database and what looks into it.
private let databaseCompose = """
    services:
      web:
        image: docker.io/library/adminer:5
        environment:
          # A secret flows into this value, so it reaches the container through a Secret only.
          DATABASE_URL: postgres://app:${DB_PASSWORD}@db:5432/app
        ports:
          # `so deploy init` writes a free host port for it into the spec.
          - "8080"
        depends_on:
          db:
            condition: service_healthy
        restart: unless-stopped

      db:
        image: docker.io/library/postgres:17-alpine
        environment:
          POSTGRES_USER: app
          POSTGRES_DB: app
          POSTGRES_PASSWORD: ${DB_PASSWORD}
        expose:
          - "5432"
        volumes:
          # Survives stop and start; `so deployment stop --delete-volumes` removes it.
          - db-data:/var/lib/postgresql/data
        healthcheck:
          test: ["CMD-SHELL", "pg_isready -U app"]
          interval: 5s
        restart: unless-stopped
        stop_grace_period: 30s

    volumes:
      db-data:

    """

private func database(_ name: String) -> [NewStackFile] {
    [
        NewStackFile("compose/docker-compose-\(name).yml", databaseCompose),
        NewStackFile(
            "stacks/\(name)/hooks/init",
            """
            #!/bin/sh
            # Prints what `so deploy init` adds to a new spec of this stack.
            cat <<'SPEC'
            config:
              # Made once, at the first start, and kept from then on.
              DB_PASSWORD: $generate:alnum:32$
            SPEC

            """, isExecutable: true),
        readme(name, "A web service and its database, with a password that is made once."),
        stackFile(name, "A web service and its database", pods: true),
    ]
}
