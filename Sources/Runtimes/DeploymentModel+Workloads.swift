package import Rendering
import YAML

extension DeploymentModel {
    /// The workload of this name, or the one that a service of this name runs in.
    package func workload(named name: String) throws(DeploymentError) -> Workload {
        let all = rendered.workloads
        if let found = all.first(where: { $0.name == name }) ?? all.first(where: { $0.services.contains(name) }) {
            return found
        }
        let names = all.flatMap(\.services)
        let near = replicaHint(name, names) ?? nearest(name, in: names).map { "did you mean \($0)?" }
        throw DeploymentError(
            .missing, "no service named \(name)", hint: near ?? "there are: \(names.sorted().joined(separator: ", "))")
    }

    /// `db.2` and `db-2` are how replicas are listed; an option chooses them.
    private func replicaHint(_ name: String, _ services: [String]) -> String? {
        guard let end = name.lastIndex(where: { "-.".contains($0) }), let replica = Int(name[end...].dropFirst()),
            services.contains(String(name[..<end]))
        else { return nil }
        return "\(name[..<end]) is the service: choose its replica with --index \(replica)"
    }

    /// The job of this name.
    package func job(named job: String) throws(DeploymentError) -> Workload {
        let workload = try workload(named: job)
        if workload.kind == .cronJob {
            throw DeploymentError(
                .unsupported, "\(job) runs on a schedule (CronJob); it is not a job of the stack",
                hint: "kubectl -n \(namespace) create job --from=cronjob/\(workload.name) \(workload.name)-now")
        }
        guard workload.kind == .job else {
            let jobs = rendered.workloads.filter { $0.kind == .job }.map(\.name).joined(separator: ", ")
            throw DeploymentError(
                .missing, "\(job) is a service, not a job",
                hint: jobs.isEmpty ? "no jobs" : "the jobs are: \(jobs)")
        }
        return workload
    }
}
