import ExternalTools
import FoundationEssentials
import Glibc

/// The first process of a container of this host, by the file into which podman writes its number.
struct ContainerProcess: Sendable {
    private let directory: String
    private let name: String

    /// - Returns: nil where podman runs elsewhere.
    init?(of container: String, in model: DeploymentModel, _ podman: Podman) {
        guard !podman.isRemote else { return nil }
        (directory, name) = (Self.directory(of: model), container)
    }

    /// Where a deployment's files of processes stand.
    static func directory(of model: DeploymentModel) -> String { model.stateDirectory + "/processes" }

    init(directory: String, name: String) { (self.directory, self.name) = (directory, name) }

    /// What podman writes.
    var file: String { "\(directory)/\(name)" }

    /// Its number, whether it runs or not; nil before podman has written it.
    var number: Int32? {
        (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int32($0.filter { !$0.isWhitespace }) }
    }

    /// Whether it runs. A process that has the number by now, also since a reboot, is younger than the file, and not meant.
    var runs: Bool {
        guard let number, let begin = HostProcess.begin(of: number),
            let written = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
        else { return false }
        return begin <= written.addingTimeInterval(1)
    }

    /// A container that was killed while it was being made leaves the name under which runc writes the file, and runc does not start it again
    /// as long as that is there: https://github.com/opencontainers/runc/blob/v1.1.5/utils_linux.go (createPidFile)
    func removeLeft() {
        for path in [file, "\(directory)/.\(name)"] { unlink(path) }
    }
}
