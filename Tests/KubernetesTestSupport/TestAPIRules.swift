import KubernetesClient
import YAML

/// What the real server refuses of the values of an object, as far as `so` has to do with it: https://kubernetes.io/docs/reference/using-api/
struct TestAPIRules {
    var place: TestAPIPlace
    var old: Node?
    var new: Node

    /// The refusal of a change, as the real server words it; nil: it is taken.
    var refusal: TestAPIStore.Reply? {
        switch place.resource {
        case "deployments": selector
        case "services": service
        case "persistentvolumeclaims": claim
        default: nil
        }
    }

    private var selector: TestAPIStore.Reply? {
        guard let before = old?["spec"]?["selector"], let after = new["spec"]?["selector"], !before.means(after) else {
            return nil
        }
        return invalid("FieldValueInvalid", "Invalid value: \(after.json()): field is immutable", "spec.selector")
    }

    private var service: TestAPIStore.Reply? {
        guard let spec = new["spec"] else { return nil }
        let isHeadless = spec["clusterIP"]?.text == "None"
        let ports = spec["ports"]?.sequence ?? []
        if ports.isEmpty, !isHeadless, spec["type"]?.text != "ExternalName" {
            return invalid("FieldValueRequired", "Required value", "spec.ports")
        }
        for (index, port) in ports.enumerated() {
            guard let number = port["nodePort"]?.intValue, !(30000...32767).contains(number) else { continue }
            return invalid(
                "FieldValueInvalid",
                "Invalid value: \(number): provided port is not in the valid range. The range of valid ports is 30000-32767",
                "spec.ports[\(index)].nodePort")
        }
        if let before = old?["spec"], isHeadless, before["clusterIP"]?.text != "None" {
            return invalid(
                "FieldValueInvalid", "Invalid value: [\"None\"]: may not change once set", "spec.clusterIPs[0]")
        }
        return nil
    }

    private var claim: TestAPIStore.Reply? {
        guard let before = old?["spec"], let after = new["spec"] else { return nil }
        let wanted = after.at("resources", "requests", "storage")?.text
        if before.at("resources", "requests", "storage")?.text != wanted {
            return TestAPIStore.Reply(
                status: 403,
                body: TestAPIStore.status(
                    403, "Forbidden",
                    "\(place.qualified) \"\(place.key.name)\" is forbidden: only dynamically provisioned pvc can be resized and "
                        + "the storageclass that provisions the pvc must support resize", details: place.details))
        }
        guard before.means(after) else {
            // The real one goes on with the difference.
            return invalid(
                "FieldValueForbidden",
                "Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound "
                    + "claims", "spec")
        }
        return nil
    }

    private func invalid(_ reason: String, _ message: String, _ field: String) -> TestAPIStore.Reply {
        let kind = new["kind"]?.text ?? ""
        let name = place.group.isEmpty ? kind : "\(kind).\(place.group)"
        var details: [(String, Node)] = [("name", .string(place.key.name))]
        if !place.group.isEmpty { details.append(("group", .string(place.group))) }
        details += [
            ("kind", .string(kind)),
            (
                "causes",
                .list([
                    .map([("reason", .string(reason)), ("message", .string(message)), ("field", .string(field))])
                ])
            ),
        ]
        return TestAPIStore.Reply(
            status: 422,
            body: TestAPIStore.status(
                422, "Invalid", "\(name) \"\(place.key.name)\" is invalid: \(field): \(message)", details: details))
    }
}
