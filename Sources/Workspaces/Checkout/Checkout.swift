import ExternalTools

/// A session's own clone, made inside its pod: its own `.git`, with the base store's objects as alternates.
package struct Checkout: Sendable {
    package var session: SessionID
    /// The clone's directory in the pod.
    package var directory: String
    /// Where the pod sees the base store.
    package var baseStore: String
    /// What is there once an agent has begun: from then on the directory is the agent's.
    var startedMark = "\(PodPaths.run)/started"
    /// Where an agent may have made repositories besides: the place of the checkout and the home.
    var places = [PodPaths.work, PodPaths.home]

    package init(session: SessionID, directory: String, baseStore: String) {
        self.session = session
        self.directory = directory
        self.baseStore = baseStore
    }

    /// Makes the clone with the session's branch checked out; one that is there already is left alone.
    ///
    /// - Parameters:
    ///   - start: what the session begins from.
    ///   - identity: the user's name and address in git; nil where they have none.
    package func make(
        in pod: some PodShell, at start: StartingPoint, identity: GitIdentity?, references: [UInt8]
    ) async throws {
        let command = ["sh", "-c", Self.script, "so-clone"] + words(start, identity)
        let output = try await pod.capture(command, input: references)
        guard output.status == 0 else {
            throw WorkspaceError(
                .failed, "the clone of session \(session) could not be made", cause: output.standardError,
                hint: "the image needs git: `git --version` in it")
        }
    }

    /// What ``script`` is given.
    func words(_ start: StartingPoint, _ identity: GitIdentity?) -> [String] {
        [
            directory, baseStore, start.commit, session.branch, start.remote ?? "", identity?.name ?? "",
            identity?.email ?? "", startedMark,
        ]
    }

    /// Reads `update <reference> <object>` lines, which become the clone's references.
    static let script = """
        set -eu
        dir=$1 store=$2 commit=$3 branch=$4 remote=$5 name=$6 email=$7 started=$8
        mkdir -p "$dir"
        cd "$dir"
        [ -f .git/so-ready ] && exit 0
        # Whatever the agent has made of it is work; an empty directory is filled again.
        if [ -e "$started" ] && [ -n "$(ls -A)" ]; then exit 0; fi
        rm -rf .git
        git init -q .
        printf '%s\\n' "$store/objects" >.git/objects/info/alternates
        [ ! -f "$store/shallow" ] || cp "$store/shallow" .git/shallow
        git update-ref --stdin
        git update-ref "refs/heads/$branch" "$commit"
        git symbolic-ref HEAD "refs/heads/$branch"
        [ -z "$remote" ] || git config remote.origin.url "$remote"
        [ -z "$remote" ] || git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
        [ -z "$name" ] || git config user.name "$name"
        [ -z "$email" ] || git config user.email "$email"
        git config gc.auto 0
        printf '%s\\n' .so/ >>.git/info/exclude
        git reset -q --hard
        : >.git/so-ready
        """
}

/// Who commits.
package struct GitIdentity: Hashable, Sendable {
    package var name: String
    package var email: String

    package init(name: String, email: String) {
        self.name = name
        self.email = email
    }
}

extension BaseStore {
    /// The references of a session's clone, as `git update-ref --stdin` reads them: the project's branches as those of its origin, and its tags.
    package func checkoutReferences() async throws -> [UInt8] {
        let lines = try await origins().map { reference in
            let own = reference.name.replacing("refs/heads/", with: "refs/remotes/origin/", maxReplacements: 1)
            return "create \(own) \(reference.commit)\n"
        }
        return Array(lines.joined().utf8)
    }
}

extension ProjectRepository {
    /// The user's identity, as their own git commands take it; nil where they have none.
    package func identity() async throws(WorkspaceError) -> GitIdentity? {
        guard let name = try await git.answer(["config", "user.name"]),
            let email = try await git.answer(["config", "user.email"])
        else { return nil }
        return GitIdentity(name: name, email: email)
    }
}
