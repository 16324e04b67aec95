import ExternalTools
import FoundationEssentials
package import KubernetesClient
import KubernetesObjects
import Rendering
package import YAML

/// Runs the rendered objects on a Kubernetes API.
///
/// What the cluster has is read from the cluster each time, by labels and by the inventory that a start leaves in the
/// namespace; nothing about it is kept on disk.
package struct ClusterRuntime: Runtime {
    /// Finds the cluster when an operation begins; throws where there is no way in.
    package typealias Finder = @Sendable () async throws(DeploymentError) -> ClusterAccess
    typealias ImageLookup = @Sendable (Set<String>) async -> [String: String]
    typealias BootTimes = @Sendable () async -> [String: Date]
    typealias DirectoryDeletion = @Sendable (String) async throws(DeploymentError) -> Void

    let find: Finder
    /// What runs first of all in a start: on kind the cluster is made where there is none.
    let begin: @Sendable (@escaping EventHandler) async throws(DeploymentError) -> Void
    /// Refuses, without changing anything, what the cluster was made without; returns the name of a cluster that a start would make first.
    var check: @Sendable () async throws(DeploymentError) -> String? = { () async throws(DeploymentError) in nil }
    /// The node ports that published ports are given, by transport; nil: the cluster chooses.
    var nodePorts: [String: ClosedRange<Int>]?
    /// The ids of images that this host has and brings to the nodes; nil: the nodes pull them all.
    var imageIDs: ImageLookup?
    /// When each node was started last, by its name, as the engine that runs the nodes says; what was said of pods before is not believed.
    var bootTimes: BootTimes = { [:] }
    /// Where the ingress controller answers on this host; nil: nobody here knows.
    var entrance: Entrance?
    var answerPatience = AnswerPatience()
    /// How often it is looked whether a pod is still there that something goes on in.
    var presenceInterval = Duration.seconds(15)
    /// Deletes a directory of this host that the nodes see; nil: no node sees this host.
    var deleteDirectory: DirectoryDeletion?
    /// What runs before a start changes anything: on kind the images are brought to the nodes.
    let prepare: @Sendable (DeploymentModel, @escaping EventHandler) async throws(DeploymentError) -> Void

    package init(
        find: @escaping Finder,
        begin: @escaping @Sendable (@escaping EventHandler) async throws(DeploymentError) -> Void = {
            (_) async throws(DeploymentError) in
        },
        prepare: @escaping @Sendable (DeploymentModel, @escaping EventHandler) async throws(DeploymentError) -> Void = {
            (_, _) async throws(DeploymentError) in
        }
    ) {
        self.find = find
        self.begin = begin
        self.prepare = prepare
    }

    /// - Parameters:
    ///   - kubeconfig: the deployment's own; nil: the user's.
    ///   - environment: where `KUBECONFIG` and the home are looked up.
    package init(kubeconfig: String?, environment: [String: String]) {
        self.init(find: { () async throws(DeploymentError) in try Self.resolve(kubeconfig, environment) })
    }

    /// What a user must know of the way to the cluster, such as that nothing verifies it; where there is no way, the command itself says so.
    package static func accessWarnings(kubeconfig: String?, environment: [String: String]) -> [Diagnostic] {
        let access = try? ClusterAccess.resolve(file: kubeconfig, environment: environment)
        return (access?.warnings ?? []).map { Diagnostic(.warning, at: nil, $0) }
    }

    private static func resolve(
        _ kubeconfig: String?, _ environment: [String: String]
    ) throws(DeploymentError) -> ClusterAccess {
        do {
            return try ClusterAccess.resolve(file: kubeconfig, environment: environment)
        } catch {
            throw DeploymentError(error)
        }
    }

    /// Opens the cluster for one operation and closes it again, whatever becomes of it.
    func withSession<Result: Sendable>(
        _ model: DeploymentModel, _ body: @Sendable (ClusterSession) async throws(DeploymentError) -> Result
    ) async throws(DeploymentError) -> Result {
        let client = try await open()
        do {
            let result = try await body(
                ClusterSession(
                    client: client, model: model, nodePorts: nodePorts, imageIDs: imageIDs,
                    bootTimes: bootTimes, entrance: entrance, deleteDirectory: deleteDirectory,
                    presenceInterval: presenceInterval))
            await client.shutDown()
            return result
        } catch {
            await client.shutDown()
            throw error
        }
    }

    /// Opens the cluster for questions that are about no deployment, and closes it again.
    func withClient<Result: Sendable>(
        _ body: (KubernetesClient) async throws(KubernetesError) -> Result
    ) async throws(DeploymentError) -> Result {
        let client = try await open()
        do {
            let result = try await body(client)
            await client.shutDown()
            return result
        } catch {
            await client.shutDown()
            throw DeploymentError(error)
        }
    }

    private func open() async throws(DeploymentError) -> KubernetesClient {
        let access = try await find()
        do {
            return try await KubernetesClient(access)
        } catch {
            throw DeploymentError(error)
        }
    }

}

/// One operation's way to one deployment in one cluster.
struct ClusterSession: Sendable {
    let client: KubernetesClient
    let model: DeploymentModel
    var nodePorts: [String: ClosedRange<Int>]?
    var imageIDs: ClusterRuntime.ImageLookup?
    var bootTimes: ClusterRuntime.BootTimes = { [:] }
    var entrance: Entrance?
    var deleteDirectory: ClusterRuntime.DirectoryDeletion?
    var presenceInterval = Duration.seconds(15)

    var namespace: String { model.namespace }

    /// Runs a request with its errors as a deployment's.
    func call<Result>(
        _ body: () async throws(KubernetesError) -> Result
    ) async throws(DeploymentError) -> Result {
        do {
            return try await body()
        } catch {
            throw DeploymentError(error)
        }
    }

    /// Does something with each item, all at once, and returns the results in the order of the items.
    func each<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws(DeploymentError) -> Result
    ) async throws(DeploymentError) -> [Result] {
        do {
            return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
                for (index, item) in items.enumerated() { group.addTask { (index, try await body(item)) } }
                var results: [Int: Result] = [:]
                for try await (index, result) in group { results[index] = result }
                return items.indices.compactMap { results[$0] }
            }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }
}

extension DeploymentError {
    /// What an API's error means for a deployment.
    init(_ error: KubernetesError) {
        let code: Code =
            switch error.code {
            case .kubeconfig, .credentials, .unreachable, .unauthorized, .server, .tooManyRequests, .expired:
                .unavailable
            case .forbidden, .conflict: .notPermitted
            case .notFound: .missing
            case .invalid, .alreadyExists: .cannotCreate
            case .cancelled: .cancelled
            }
        self.init(code, error.message, cause: error.cause, hint: error.hint ?? Self.hint(for: error))
    }

    private static func hint(for error: KubernetesError) -> String? {
        switch error.code {
        case .unauthorized: "the cluster does not take the kubeconfig's credentials: renew them"
        case .forbidden: "ask the cluster's administrator for the right, or use another kubeconfig"
        default: nil
        }
    }
}
