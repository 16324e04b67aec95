import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Adds the init containers that fill a service's volumes, before anything else of it runs.
///
/// What an image holds at the path of an empty named volume is copied into the volume, as docker does unless `nocopy` is set.
///
/// Rule: <https://docs.docker.com/engine/storage/volumes/#populate-a-volume-using-a-container>. Podman does it by itself; in a
/// cluster an init container of the service's own image does, which needs a shell and `cp` in the image.
struct VolumeFillStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    let container: Container
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        guard !can(.filledVolumes) else { return addNoCopy() }
        for mount in workload.service.volumes where mount.isFilled {
            guard
                mount.source.map({ inputs.volumeFillers[$0] == workload.index && spec.configmaps[$0] == nil }) ?? true,
                let volume = container.volumeMounts?.first(where: { $0.mountPath == mount.target }),
                !isFilled(volume.name)
            else { continue }
            var step = Container(name: Names.label("\(workload.name)-fill-\(volume.name)"), image: container.image)
            step.imagePullPolicy = container.imagePullPolicy
            step.command = ["/bin/sh", "-c", Self.fillScript, "fill", mount.target]
            step.resources = container.resources
            step.securityContext = SecurityContext()
            // Who owns a file in the image owns it in the volume: only root can see to that.
            step.securityContext?.runAsUser = 0
            step.volumeMounts = [PodMount(name: volume.name, mountPath: Self.fillPath)]
            pod.spec.initContainers = (pod.spec.initContainers ?? []) + [step]
        }
    }

    /// A volume that is mounted twice is filled once, by what stands at the first of its places.
    private func isFilled(_ volume: String) -> Bool {
        let mount = PodMount(name: volume, mountPath: Self.fillPath)
        return pod.spec.initContainers?.contains { $0.volumeMounts == [mount] } ?? false
    }

    private static let fillPath = "/so-volume"

    /// Copies unless somebody else has written to the volume; the mark makes a copy that was cut short begin again.
    private static let fillScript = """
        v=\(fillPath)
        [ -d "$1" ] || exit 0
        if [ ! -e "$v/.so-filling" ]; then
          for f in "$v"/* "$v"/.[!.]* "$v"/..?*; do
            [ -e "$f" ] || [ -L "$f" ] || continue
            [ "$f" = "$v/lost+found" ] || exit 0
          done
          true > "$v/.so-filling" || exit 0
        fi
        { cp -a "$1/." "$v/" || cp -R "$1/." "$v/"; } && rm -f "$v/.so-filling"

        """

    private mutating func addNoCopy() {
        for mount in workload.service.volumes where mount.kind == .volume && mount.volume?.nocopy == true {
            pod.podman[workload.name].unfilled.insert(mount.target)
        }
    }
}
