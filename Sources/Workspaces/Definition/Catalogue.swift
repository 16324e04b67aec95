import OrderedCollections
import YAML

/// A language that a workspace can have, in the versions of a list.
package struct Language: Hashable, Sendable {
    package var name: String
    /// The newest first.
    package var versions: [String]
    /// The official image that a version is copied from; nil: packages of the distribution.
    var image: String?
    /// What is copied, as paths in that image and in the workspace's.
    var paths: [String] = []
    /// Packages of the distribution that it needs, or that are it.
    var packages: [String] = []
    var environment: OrderedDictionary<String, String> = [:]
    /// Before the PATH of the image.
    var programs: [String] = []
    /// What shows that it works, and its version.
    package var check: String
    /// The hosts of its package registries, which an egress allows.
    package var registries: [String]

    /// Versions: those that their makers maintain, https://endoflife.date.
    package static let all: [Language] = [
        Language(
            name: "python", versions: ["3.14", "3.13", "3.12", "3.11", "3.10"], image: "python:{version}-slim-bookworm",
            paths: ["/usr/local"], packages: python, check: "python3 --version",
            registries: ["pypi.org", "files.pythonhosted.org"]),
        Language(
            name: "node", versions: ["24", "22", "20", "18"], image: "node:{version}-bookworm-slim",
            paths: ["/usr/local", "/opt"], packages: ["libstdc++6"], check: "node --version",
            registries: ["registry.npmjs.org", "registry.yarnpkg.com"]),
        Language(
            name: "go", versions: ["1.25", "1.24", "1.23"], image: "golang:{version}-bookworm",
            paths: ["/usr/local/go"], packages: ["gcc", "libc6-dev"], programs: ["/usr/local/go/bin"],
            check: "go version", registries: ["proxy.golang.org", "sum.golang.org"]),
        Language(
            name: "rust", versions: ["1.91", "1.90", "1.89", "1"], image: "rust:{version}-slim-bookworm",
            paths: ["/usr/local/cargo", "/usr/local/rustup"], packages: ["gcc", "libc6-dev"],
            environment: ["RUSTUP_HOME": "/usr/local/rustup"], programs: ["/usr/local/cargo/bin"],
            check: "cargo --version", registries: ["index.crates.io", "static.crates.io", "crates.io"]),
        Language(
            name: "java", versions: ["25", "21", "17", "11"], image: "eclipse-temurin:{version}-jdk",
            paths: ["/opt/java/openjdk"], environment: ["JAVA_HOME": "/opt/java/openjdk"],
            programs: ["/opt/java/openjdk/bin"], check: "java -version",
            registries: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"]),
        // PHP's extensions come from the distribution, and fit its PHP alone.
        Language(
            name: "php", versions: ["8.2"], packages: php, check: "php --version",
            registries: ["packagist.org", "repo.packagist.org"]),
        Language(
            name: "ruby", versions: ["3.4", "3.3", "3.2"], image: "ruby:{version}-slim-bookworm", paths: ["/usr/local"],
            packages: ["libyaml-0-2", "libffi8", "libssl3", "zlib1g"], check: "ruby --version",
            registries: ["rubygems.org", "index.rubygems.org"]),
    ]

    package static func named(_ name: String) -> Language? { all.first { $0.name == name } }

    /// Shared libraries that the official slim image installs for the interpreter's own modules.
    private static let python = [
        "libbz2-1.0", "libffi8", "liblzma5", "libncursesw6", "libreadline8", "libsqlite3-0", "libssl3", "libuuid1",
        "netbase", "tzdata", "zlib1g",
    ]
    private static let php =
        ["php-cli", "php-fpm"] + ["curl", "mbstring", "mysql", "pgsql", "sqlite3", "xml", "zip"].map { "php-\($0)" }
}

/// A program that a workspace can have from the distribution's packages.
package struct Tool: Hashable, Sendable {
    package var name: String
    package var packages: [String]
    package var summary: String

    package static let all: [Tool] = [
        Tool(name: "aws-cli", packages: ["awscli"], summary: "the command line of AWS"),
        Tool(name: "build-essential", packages: ["build-essential"], summary: "a C and C++ compiler, make"),
        Tool(name: "composer", packages: ["composer"], summary: "packages of PHP"),
        Tool(name: "curl", packages: ["curl"], summary: "requests from the shell"),
        Tool(name: "gh", packages: ["gh"], summary: "the command line of GitHub"),
        Tool(name: "git", packages: ["git"], summary: "in every workspace"),
        Tool(name: "git-lfs", packages: ["git-lfs"], summary: "large files of git"),
        Tool(name: "jq", packages: ["jq"], summary: "JSON in the shell"),
        Tool(name: "maven", packages: ["maven"], summary: "builds of Java"),
        Tool(name: "mysql-client", packages: ["default-mysql-client"], summary: "the client of MySQL and MariaDB"),
        Tool(name: "nginx", packages: ["nginx-light"], summary: "a web server"),
        Tool(name: "podman", packages: podman, summary: "rootless containers inside (alias docker)"),
        Tool(name: "postgresql-client", packages: ["postgresql-client"], summary: "psql"),
        Tool(name: "redis-tools", packages: ["redis-tools"], summary: "redis-cli"),
        Tool(name: "ripgrep", packages: ["ripgrep"], summary: "a search that coding agents like"),
        Tool(name: "ssh-server", packages: ["openssh-server"], summary: "ssh into sessions: so session ssh-config"),
        Tool(name: "sqlite3", packages: ["sqlite3"], summary: "a database in a file"),
        Tool(name: "vim", packages: ["vim-tiny"], summary: "an editor"),
    ]

    /// By its name or an alias; `apt:NAME` is any package of the distribution.
    package static func named(_ name: String) -> Tool? {
        if name.hasPrefix("apt:") {
            let package = String(name.dropFirst(4))
            return isPackage(package) ? Tool(name: name, packages: [package], summary: "a package") : nil
        }
        let name = ["docker": "podman", "awscli": "aws-cli", "rg": "ripgrep"][name] ?? name
        return all.first { $0.name == name }
    }

    /// `uidmap` and `libcap2-bin` for the numbers that users inside have; see ``ContainerfileText``.
    private static let podman = ["podman", "podman-docker", "crun", "uidmap", "libcap2-bin"]

    /// https://www.debian.org/doc/debian-policy/ch-controlfields.html#source
    private static func isPackage(_ name: String) -> Bool {
        name.utf8.count > 1 && name.first?.isLetter == true
            && name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            }
    }
}

/// Something larger than a package that is set up in the image.
package enum Framework: String, Hashable, Sendable, CaseIterable {
    case playwright
    case laravel
}

extension Array<Language> {
    /// `python 3.14 3.13 …; node …`, for help.
    package var listing: String {
        map { "\($0.name) \($0.versions.joined(separator: " "))" }.joined(separator: "; ")
    }
}
