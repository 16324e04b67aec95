import OrderedCollections
import YAML

extension ServiceDecoder {
    func decodeBuild(_ outer: inout Fields, _ service: inout Service) {
        guard var fields = outer.fields("build") else { return }
        var build = Build(context: nil, mark: fields.mark)
        decodeContext(&fields, &build, service)
        build.dockerfile = fields.string("dockerfile")
        build.dockerfileInline = fields.string("dockerfile_inline")
        build.args = fields.variables("args", scope: scope)
        decodeAdditionalContexts(&fields, &build, service)
        build.cacheFrom = fields.strings("cache_from")
        build.cacheTo = fields.strings("cache_to")
        build.entitlements = fields.strings("entitlements")
        build.extraHosts = decodeExtraHosts(&fields)
        build.isolation = fields.string("isolation")
        build.labels = fields.map("labels")
        build.network = fields.string("network")
        build.noCache = fields.bool("no_cache")
        build.noCacheFilter = fields.strings("no_cache_filter")
        build.platforms = fields.strings("platforms")
        build.privileged = fields.bool("privileged")
        build.provenance = fields.text("provenance")
        build.pull = fields.bool("pull")
        build.sbom = fields.text("sbom")
        build.secrets = decodeFileReferences(&fields, "secrets")
        build.shmSize = fields.bytes("shm_size")
        build.ssh = fields.map("ssh")
        build.tags = fields.strings("tags")
        build.target = fields.string("target")
        build.ulimits = decodeUlimits(&fields)
        build.extensions = fields.extensions()
        fields.finish()
        service.build = build
        noteDockerfile(build, service)
    }

    private func decodeContext(_ fields: inout Fields, _ build: inout Build, _ service: Service) {
        guard let node = fields.node("context"), let context = fields.string(node, "context") else { return }
        build.context = context
        build.writtenContext = state.writtenPaths[node.mark] ?? context
        guard !isRemoteContext(context), !context.isEmpty else { return }
        state.referencedPaths.append(
            ReferencedPath(
                path: context, written: build.writtenContext ?? context, role: .buildContext, mark: node.mark,
                service: service.name))
    }

    private func decodeAdditionalContexts(_ fields: inout Fields, _ build: inout Build, _ service: Service) {
        for (name, node) in fields.pairs("additional_contexts") {
            guard let context = fields.string(node, "additional_contexts") else { continue }
            build.additionalContexts[name] = context
            guard !isRemoteContext(context) else { continue }
            let written = state.writtenPaths[node.mark] ?? context
            state.referencedPaths.append(
                ReferencedPath(
                    path: context, written: written, role: .additionalContext, mark: node.mark, service: service.name))
        }
    }

    private func noteDockerfile(_ build: Build, _ service: Service) {
        guard let context = build.context, !isRemoteContext(context), build.dockerfileInline == nil else { return }
        let written = build.dockerfile ?? "Dockerfile"
        state.referencedPaths.append(
            ReferencedPath(
                path: absolutePath(written, in: context), written: written, role: .dockerfile, mark: build.mark,
                service: service.name))
    }
}
