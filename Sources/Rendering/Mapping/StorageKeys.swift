extension KeyMapping {
    /// Keys about a service's mounts, and those of volumes, configs and secrets.
    static let storage: [KeyMapping] = [
        row("configs", .mapped("files from a hash-named ConfigMap, mode 0444 unless written")),
        row("secrets", .mapped("files from a Secret at /run/secrets, mode 0444 unless written")),
        row("shm_size", .mapped("an emptyDir in memory at /dev/shm")),
        row("tmpfs", .mapped("an emptyDir in memory")),
        row(
            "volumes",
            .mapped("named → PersistentVolumeClaim; a read-only file or directory → ConfigMap; tmpfs → emptyDir")),
        row(
            "volumes.[].volume.nocopy",
            .mapped(
                "true: an empty volume stays empty; else what the image holds there is copied into it first, in a cluster by an init container that needs a shell and `cp` in the image"
            )),
        row(
            "volumes.[].bind.recursive",
            .mapped(
                "podman: disabled leaves mounts below the path away; another value, and in a cluster any, is reported")),
        row("volumes.[].bind.selinux", .mapped("podman: z or Z; of a path of a cluster's node it is reported")),
        row("volumes.[].consistency", .reported("it is for docker's virtual machine only")),
        row("volumes.[].volume.labels", .reported("the volume has the labels of its own section only")),
        row("volumes_from", .mapped("the other service's mounts")),
        row(.volume, "driver", .mapped("local; another driver is reported")),
        row(.volume, "driver_opts", .mapped("nfs, bind and tmpfs of the local driver")),
        row(.volume, "external", .mapped("the claim must exist already")),
        row(.volume, "labels", .mapped("annotations of the claim")),
        row(
            .volume, "name",
            .mapped("the claim's name in the namespace; podman: after the namespace, exactly that with `external`")),
        row(.config, "content", .mapped("data of a ConfigMap")),
        row(.config, "environment", .mapped("data of a ConfigMap; of a Secret if the value is secret")),
        row(
            .config, "external",
            .mapped(
                "the ConfigMap must exist already, with a key of the same name; podman: a secret of that name in its store"
            )),
        row(.config, "file", .mapped("data of a ConfigMap")),
        row(.config, "labels", .mapped("annotations of the ConfigMap")),
        row(.config, "name", .mapped("the ConfigMap's name if it is external; podman: the secret's")),
        row(
            .config, "template_driver",
            .refused(reason: "templates are filled in by Swarm only", hint: "write the content itself")),
        row(.secret, "driver", .refused(reason: "no runtime here has secret drivers", hint: "use file or environment")),
        row(
            .secret, "driver_opts",
            .refused(reason: "no runtime here has secret drivers", hint: "use file or environment")),
        row(.secret, "environment", .mapped("the value of a Secret")),
        row(
            .secret, "external",
            .mapped(
                "the Secret must exist already, with a key of the same name; podman: a secret of that name in its store"
            )),
        row(.secret, "file", .mapped("the value of a Secret")),
        row(.secret, "labels", .mapped("annotations of the Secret")),
        row(.secret, "name", .mapped("the Secret's name if it is external")),
        row(
            .secret, "template_driver",
            .refused(reason: "templates are filled in by Swarm only", hint: "write the content itself")),
        row(.volume, "x-*", .ignored("an extension: free for the author")),
        row(.config, "x-*", .ignored("an extension: free for the author")),
        row(.secret, "x-*", .ignored("an extension: free for the author")),
    ]

    /// Keys of a compose file itself.
    static let topLevel: [KeyMapping] = [
        row(.top, "configs", .mapped("ConfigMaps")),
        row(.top, "include", .loaded("the other files are merged in")),
        row(.top, "models", .refused(reason: "no runtime here serves models", hint: "run the model as a service")),
        row(.top, "name", .loaded("the project's name; the deployment's names come from its stack and namespace")),
        row(.top, "networks", .mapped("one network for all services of the deployment")),
        row(.top, "secrets", .mapped("Secrets")),
        row(.top, "services", .mapped("a Deployment or Job and a Service for each")),
        row(.top, "version", .ignored("obsolete: compose ignores it")),
        row(.top, "volumes", .mapped("PersistentVolumeClaims, and PersistentVolumes for paths")),
        row(.top, "x-*", .ignored("an extension: free for the author")),
    ]

    private static func row(_ place: Place, _ key: String, _ outcome: Outcome) -> KeyMapping {
        KeyMapping(place: place, key: key, outcome: outcome)
    }
}
