import ArgumentParser
import Deployments
import Runtimes

/// Which pods `so up` replaces besides those that changed.
struct UpRecreation: ParsableArguments {
    @Flag(help: "Replace pods that did not change, too.")
    var forceRecreate = false

    @Flag(help: "Leave existing pods as they are, also those that changed.")
    var noRecreate = false

    @Flag(help: "Replace what the named services depend on, too.")
    var alwaysRecreateDeps = false

    @Flag(help: "Do not start or change what the named services depend on.")
    var noDeps = false

    @Flag(
        name: [.customShort("V"), .long],
        help: "Recreate pods, and give them new, empty anonymous volumes.")
    var renewAnonVolumes = false

    @Flag(help: .hidden)
    var noStart = false

    @Flag(name: [.customShort("w"), .long], help: .hidden)
    var watch = false

    @Flag(name: [.customShort("y"), .customLong("yes")], help: .hidden)
    var isAgreed = false

    func validate() throws {
        if noRecreate, forceRecreate || alwaysRecreateDeps || renewAnonVolumes {
            throw ValidationError("--no-recreate contradicts options that replace pods")
        }
        if noStart {
            throw ValidationError(
                "--no-start is not available: pods are created and started in one step; --dry-run shows them")
        }
        if watch {
            throw ValidationError(
                "--watch is not available: mount the folder into the service, or run `so up -d` again")
        }
    }

    var value: Recreation {
        var value = Recreation()
        value.renewsAnonymousVolumes = renewAnonVolumes
        value.replacesServices = forceRecreate || renewAnonVolumes
        value.replacesDependencies = alwaysRecreateDeps
        value.keepsChanged = noRecreate
        value.leavesDependencies = noDeps
        return value
    }
}

/// `--scale SERVICE=NUMBER`.
struct ServiceScale: ExpressibleByArgument {
    var service: String
    var count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let count = Int(parts[1]), count >= 0 else { return nil }
        (service, self.count) = (String(parts[0]), count)
    }
}

extension PullChoice: ExpressibleByArgument {}
