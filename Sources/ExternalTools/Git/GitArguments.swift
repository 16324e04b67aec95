/// What git is asked, as argument lists that are tested without running it.
package enum GitArguments {
    package static func head(_ directory: String) -> [String] {
        ["-C", directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"]
    }
    package static func remoteURL(_ directory: String) -> [String] {
        ["-C", directory, "config", "--get", "remote.origin.url"]
    }
    package static func topLevel(_ directory: String) -> [String] { ["-C", directory, "rev-parse", "--show-toplevel"] }
    package static func branch(_ directory: String) -> [String] {
        ["-C", directory, "symbolic-ref", "--quiet", "--short", "HEAD"]
    }
    package static func tag(_ directory: String) -> [String] {
        ["-C", directory, "describe", "--tags", "--exact-match", "HEAD"]
    }
    /// The commit that a full reference or object name leads to.
    package static func commit(_ directory: String, _ reference: String) -> [String] {
        ["-C", directory, "rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"]
    }
    /// Changes of tracked files, and of submodules; files that git does not know are left alone by all that is done here.
    package static func localChanges(_ directory: String) -> [String] {
        ["-C", directory, "status", "--porcelain", "--untracked-files=no"]
    }
    /// A reference that keeps HEAD's commit.
    package static func referenceToHead(_ directory: String) -> [String] {
        ["-C", directory, "for-each-ref", "--count=1", "--format=%(refname)", "--contains", "HEAD"]
    }
    /// `<commits only here> <commits only there>`.
    package static func divergence(_ directory: String, from upstream: String) -> [String] {
        ["-C", directory, "rev-list", "--left-right", "--count", "HEAD...\(upstream)", "--"]
    }
    package static func references(_ directory: String) -> [String] {
        ["-C", directory, "for-each-ref", "--format=%(refname)", "refs/remotes/origin", "refs/tags"]
    }
    /// The default branch of the clone's origin: `origin/main`.
    package static func defaultBranch(_ directory: String) -> [String] {
        ["-C", directory, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]
    }

    package static func clone(_ url: String, into directory: String) -> [String] {
        ["clone", "--progress", "--no-checkout", "--origin", "origin", "--", url, directory]
    }
    package static func fetch(_ directory: String, _ references: [String] = []) -> [String] {
        ["-C", directory, "fetch", "--progress", "--no-recurse-submodules", "--", "origin"] + references
    }
    package static func checkoutHead(_ directory: String) -> [String] {
        ["-C", directory, "checkout", "--quiet", "HEAD", "--"]
    }
    package static func checkout(_ directory: String, branch: String) -> [String] {
        ["-C", directory, "checkout", "--quiet", branch, "--"]
    }
    package static func checkout(_ directory: String, newBranch branch: String) -> [String] {
        ["-C", directory, "checkout", "--quiet", "-b", branch, "--track", "refs/remotes/origin/\(branch)"]
    }
    package static func checkout(_ directory: String, detachedAt commit: String) -> [String] {
        ["-C", directory, "checkout", "--quiet", "--detach", commit, "--"]
    }
    package static func fastForward(_ directory: String, to upstream: String) -> [String] {
        ["-C", directory, "merge", "--quiet", "--ff-only", upstream]
    }
    package static func updateSubmodules(_ directory: String) -> [String] {
        ["-C", directory, "submodule", "--quiet", "update", "--init", "--recursive"]
    }
}
