import Compose
import OrderedCollections
import YAML

extension Layering {
    /// `network.ports` replaces the published ports of the services that it names; other services reach the former ones as before.
    mutating func applyPorts(_ project: inout Project) {
        for (name, ports) in spec.network.ports {
            let mark = spec.mark(of: "network.ports.\(name)")
            if let service = project.services[name] {
                project.services[name] = service.with(ports: ports, at: mark, spec, &diagnostics)
            }
            for job in jobs.keys {
                guard let service = jobs[job]?.services[name] else { continue }
                jobs[job]?.services[name] = service.with(ports: ports, at: mark, spec, &diagnostics)
            }
        }
    }

    /// `image-overrides` replaces images.
    mutating func applyImages(_ project: inout Project) {
        for (name, image) in spec.imageOverrides {
            project.services[name]?.override(image: image)
            for job in jobs.keys { jobs[job]?.services[name]?.override(image: image) }
        }
    }
}

extension Service {
    fileprivate func with(
        ports: [PortMapping], at mark: Mark, _ spec: Spec, _ diagnostics: inout Diagnostics
    ) -> Service {
        if let other = self.ports.first(where: { $0.mark.file == spec.file && $0.mark.file != Mark.generated.file }) {
            diagnostics.error(
                "network.ports and overrides both set the ports of '\(name)'", at: mark,
                hint: "remove one of them; the other is at \(other.mark)")
        }
        var service = self
        for port in self.ports {
            let isKnown =
                ports.contains { $0.target == port.target && $0.transport == port.transport }
                || service.expose.contains { $0.port == port.target && $0.transport == port.transport }
            guard !isKnown else { continue }
            service.expose.append(ExposedPort(port: port.target, transport: port.transport, mark: port.mark))
        }
        service.ports = ports
        service.keys["ports"] = mark
        return service
    }

    fileprivate mutating func override(image: Located<String>) {
        self.image = image.value
        keys["image"] = image.mark
    }
}
