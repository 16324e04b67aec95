import ExternalTools
import FoundationEssentials
import Glibc

/// Containers of a deployment that run although podman no longer knows of them: a podman that was killed between two steps leaves such.
/// They hold ports and volumes, and no command of podman's ends them.
struct ForgottenContainers {
    let podman: Podman
    let namespace: String

    /// Ends them, and returns their names.
    func end() async -> [String] {
        var ended: [String] = []
        for keeper in keepers() where await isForgotten(keeper.container) {
            for process in children(of: keeper.process) { kill(process, SIGKILL) }
            await awaitEnd(of: keeper.process)
            ended.append(keeper.name)
        }
        return ended
    }

    private struct Keeper {
        var process: Int32
        var container: String
        var name: String
    }

    /// conmon's processes for names of this namespace, which no other deployment of this podman has.
    private func keepers() -> [Keeper] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int32($0) }.compactMap { process in
            guard let words = words("/proc/\(process)/cmdline"), words.first?.hasSuffix("conmon") == true,
                let container = value("-c", words), let name = value("-n", words), name.hasPrefix(namespace + "_"),
                isOfThisPodman(process)
            else { return nil }
            return Keeper(process: process, container: container, name: name)
        }
    }

    private func words(_ path: String) -> [String]? {
        guard let bytes = try? Files.read(path), !bytes.isEmpty else { return nil }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private func value(_ option: String, _ words: [String]) -> String? {
        guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
        return words[index + 1]
    }

    /// Another user, or another mount namespace of root's, has a podman of its own.
    private func isOfThisPodman(_ process: Int32) -> Bool {
        var status = stat()
        guard stat("/proc/\(process)", &status) == 0, status.st_uid == geteuid() else { return false }
        guard geteuid() == 0 else { return true }
        let links = ["self", "\(process)"].map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/ns/mnt")
        }
        return links[0] != nil && links[0] == links[1]
    }

    /// Only podman's clear no counts: 1 is its answer for a container that does not exist.
    private func isForgotten(_ container: String) async -> Bool {
        (try? await podman.command(PodmanArguments.exists(container)).result())?.status == 1
    }

    private func children(of process: Int32) -> [Int32] {
        let bytes = (try? Files.read("/proc/\(process)/task/\(process)/children")) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }

    /// conmon ends by itself after its container; one that does not within some seconds is ended.
    private func awaitEnd(of process: Int32) async {
        if await !HostProcess.awaitEnd(of: process, within: .seconds(5)) { kill(process, SIGKILL) }
    }
}
