import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Files that hold secrets, and whom they belong to.
extension FileMountStep {
    mutating func addFileSecret(
        _ name: String, key: String, _ value: SecretTemplate.Value,
        labels written: some Sequence<(key: String, value: String)>
    ) {
        if let other = shared.storage.secrets[name],
            !other.entries.contains(SecretTemplate.Entry(key: key, value: value))
        {
            reports.error("two secrets both become the Secret \(name)", at: nil, hint: "rename one of them")
            return
        }
        var template = SecretTemplate(
            name: name, namespace: options.namespace, labels: shared.storage.secrets[name]?.labels ?? labels(workload),
            entries: [SecretTemplate.Entry(key: key, value: value)])
        let free = written.filter { Names.isFreeAnnotation($0.key) }.map { ($0.key, $0.value) }
        template.annotations = StringMap(Dictionary(free) { _, last in last })
        shared.storage.secrets[name] = template
    }

    /// The mode of a file: Kubernetes takes permissions only.
    mutating func mode() -> Int {
        guard let written = reference.mode else { return 0o444 }
        if written > 0o777 {
            report(
                workload, "\(section.rawValue).[].mode", at: reference.mark,
                "the mode 0\(String(written, radix: 8)) of \(reference.source) is more than permissions: it becomes"
                    + " 0\(String(written & 0o777, radix: 8))")
        }
        return Int(written & 0o777)
    }

    /// Files of a volume belong to root and to the pod's file group.
    mutating func reportOwner(
        at target: String, mode: Int
    ) {
        addFileGroup(mode: mode)
        guard let uid = reference.uid, uid != "0", uid != "root" else { return }
        if can(.containerSettings), section == .secrets, let number = Names.userNumber(uid) {
            pod.podman[workload.name].owners[target] = number
            return
        }
        let group = can(.containerSettings) ? nil : pod.spec.securityContext?.fsGroup
        let readers =
            mode & 0o004 != 0
            ? "everybody may read it"
            : group.map { "its group \($0), which every process of the pod has, may read it" }
                ?? "no other user may read it"
        report(workload, section.rawValue, at: reference.mark, "uid \(uid): \(target) belongs to root; \(readers)")
    }

    /// The pod's file group is that of `gid`. Where only an owner other than root could read the file, it is that owner's number:
    /// Kubernetes lets the file group read every file of a Secret or ConfigMap, and all processes of the pod are in it.
    private mutating func addFileGroup(
        mode: Int
    ) {
        var context = pod.spec.securityContext ?? PodSecurityContext()
        let gid = reference.gid.flatMap(Names.userNumber).flatMap { $0 > 0 ? $0 : nil }
        if let gid, let other = context.fsGroup, other != gid {
            report(
                workload, section.rawValue, at: reference.mark,
                "gid \(gid): the files of the pod belong to the group \(other) already")
        }
        let owner = !can(.containerSettings) && mode & 0o004 == 0 ? reference.uid.flatMap(Names.userNumber) : nil
        guard context.fsGroup == nil, let group = gid ?? owner, group > 0 else { return }
        if !can(.anyNumbers), group > Names.largestID {
            return refuseID(group, workload, section.rawValue, at: reference.mark)
        }
        context.fsGroup = group
        pod.spec.securityContext = context
    }
}
