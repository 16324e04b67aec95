import Compose
import KubernetesObjects
import Rendering
import TestSupport
import Testing
import YAML

/// Goldens/<case>: SO_UPDATE_GOLDENS=1 writes them; scripts/validate-goldens checks them against the published schemas.
@Suite struct GoldenTests {
    @Test(arguments: GoldenCase.all) func `the objects and the diagnostics of a case are its golden ones`(
        _ item: GoldenCase
    ) throws {
        let outcome = try item.render()
        let report = report(outcome)
        try expectGolden(item.portable(report), "\(item.relativeDirectory)/expected.txt")
        guard try item.settings()?.mapping?["defect"]?.text != "true" else {
            #expect(outcome.diagnostics.contains { $0.severity == .error }, "a defect is an error")
            return
        }
        #expect(
            !outcome.diagnostics.contains { $0.severity == .error },
            "a sound case has no errors: \(outcome.diagnostics)")
        let text = emitYAML(try outcome.deployment.objects.map { try $0.node() })
        try expectGolden(item.portable(text), "\(item.relativeDirectory)/expected.yml")
    }

    @Test(arguments: GoldenCase.all) func `every object but what the whole deployment shares carries the five labels`(
        _ item: GoldenCase
    ) throws {
        let keys = ["name", "instance", "part-of", "component", "managed-by"].map { "app.kubernetes.io/\($0)" }
        for object in try item.render().deployment.objects where !["Namespace", "RuntimeClass"].contains(object.kind) {
            for key in keys { #expect(object.metadata.labels?[key] != nil, "\(object.identity) has no \(key)") }
        }
    }

    @Test(arguments: GoldenCase.all) func `rendering twice gives the same text`(_ item: GoldenCase) throws {
        let texts = try (0..<2).map { _ in emitYAML(try item.render().deployment.objects.map { try $0.node() }) }
        #expect(texts[0] == texts[1])
    }

    /// Workloads with what they wait for, Secrets without values, diagnostics.
    private func report(_ outcome: GoldenCase.Outcome) -> String {
        var lines: [String] = []
        for workload in outcome.deployment.workloads {
            let dependencies = workload.dependencies.map {
                "\($0.workload)=\($0.condition.rawValue)\($0.isRequired ? "" : "?")\($0.restart ? "!" : "")"
            }
            let marks = [workload.isStackJob ? " stack-job" : "", workload.completes ? " completes" : ""].joined()
            lines.append(
                "\(workload.kind.rawValue)/\(workload.name) [\(workload.services.joined(separator: ", "))]\(marks) after: \(dependencies.joined(separator: ", "))"
            )
            for (service, names) in workload.hostnames.sorted(by: { $0.key < $1.key }) where names.count > 1 {
                lines.append("  \(service) is \(names.joined(separator: ", "))")
            }
        }
        for secret in outcome.deployment.secrets {
            lines.append("Secret/\(secret.name) (\(secret.type))")
            for entry in secret.entries {
                switch entry.value {
                case .text(let text):
                    lines.append("  \(entry.key): \(text.masked) of \(text.secretNames.joined(separator: ", "))")
                case .bytes(let bytes): lines.append("  \(entry.key): \(bytes.count) bytes")
                case .registry(let login): lines.append("  \(entry.key): \(login.username)@\(login.server)")
                }
            }
        }
        lines += outcome.diagnostics.map(\.description)
        return lines.joined(separator: "\n") + "\n"
    }
}
