import OrderedCollections
import YAML

extension ServiceDecoder {
    func decodeStorage(_ fields: inout Fields, _ service: inout Service) {
        let path = "\(fields.path).volumes"
        service.volumes = fields.items("volumes").compactMap { decodeMount($0, path: path, service: service.name) }
        service.volumesFrom = fields.items("volumes_from").compactMap { decodeVolumesFrom($0, fields) }
        service.tmpfs = decodeTmpfs(&fields)
        service.configs = decodeFileReferences(&fields, "configs")
        service.secrets = decodeFileReferences(&fields, "secrets")
        service.readOnly = fields.bool("read_only")
        service.storageOpt = fields.map("storage_opt")
        service.shmSize = fields.bytes("shm_size")
        service.devices = fields.items("devices").compactMap { decodeDevice($0, path: "\(fields.path).devices") }
    }

    private func decodeMount(_ item: Node, path: String, service: String) -> VolumeMount? {
        var fields = Fields(item, path: path, state: state)
        let kind = fields.choice("type", VolumeMount.Kind.self)
        let source = fields.string("source")
        let target = fields.string("target")
        let isReadOnly = fields.bool("read_only") ?? false
        let consistency = fields.string("consistency")
        let bind = decodeBindOptions(&fields)
        let volume = decodeVolumeOptions(&fields)
        let tmpfs = decodeTmpfsOptions(&fields)
        let subpath = decodeImageSubpath(&fields)
        fields.finish()
        guard let kind else {
            if item.mapping != nil, item.mapping?["type"] == nil {
                state.error(
                    "`\(path)` has an entry without a type", at: item.mark, hint: "write `type: volume` or `type: bind`"
                )
            }
            return nil
        }
        guard let target = checkedTarget(target, path: path, at: item.mark) else { return nil }
        var mount = VolumeMount(kind: kind, source: source, target: target, mark: item.mark)
        mount.isReadOnly = isReadOnly
        mount.consistency = consistency
        mount.bind = bind ?? (kind == .bind ? BindOptions() : nil)
        mount.volume = volume
        mount.tmpfs = tmpfs
        mount.imageSubpath = subpath
        return checkSource(of: &mount, item, path: path, service: service) ? mount : nil
    }

    private func checkedTarget(_ target: String?, path: String, at mark: Mark) -> String? {
        guard let target, !target.isEmpty else {
            state.error("`\(path)` has an entry without a target", at: mark, hint: "write where to mount it")
            return nil
        }
        guard target.hasPrefix("/") else {
            let what = isWindowsPath(target) ? "a Windows path" : "not an absolute path"
            state.error(
                "`\(path)`: the target `\(target)` is \(what)", at: mark, hint: "write an absolute path, such as /data")
            return nil
        }
        return normalizedPath(target)
    }

    private func checkSource(of mount: inout VolumeMount, _ item: Node, path: String, service: String) -> Bool {
        guard let source = mount.source, !source.isEmpty else {
            mount.source = nil
            mount.writtenSource = nil
            guard mount.kind == .bind || mount.kind == .image else { return true }
            state.error(
                "`\(path)` has a \(mount.kind.rawValue) without a source", at: item.mark, hint: "write its source")
            return false
        }
        guard mount.kind == .bind else { return true }
        let mark = item.mapping?["source"]?.mark ?? item.mark
        guard !isWindowsPath(source) else {
            state.error("`\(path)`: `\(source)` is a Windows path", at: mark, hint: "write a path of this machine")
            return false
        }
        mount.writtenSource = state.writtenPaths[mark] ?? source
        state.referencedPaths.append(
            ReferencedPath(
                path: source, written: mount.writtenSource ?? source, role: .bind, mark: mark, service: service))
        return true
    }

    private func decodeBindOptions(_ fields: inout Fields) -> BindOptions? {
        guard var inner = fields.fields("bind") else { return nil }
        var options = BindOptions()
        options.propagation = inner.string("propagation")
        options.createHostPath = inner.bool("create_host_path") ?? true
        options.recursive = inner.choice("recursive", of: ["enabled", "disabled", "writable", "readonly"])
        options.selinux = inner.choice("selinux", of: ["z", "Z"])
        inner.finish()
        return options
    }

    private func decodeVolumeOptions(_ fields: inout Fields) -> VolumeOptions? {
        guard var inner = fields.fields("volume") else { return nil }
        var options = VolumeOptions()
        options.labels = inner.map("labels")
        options.nocopy = inner.bool("nocopy") ?? false
        options.subpath = inner.string("subpath")
        inner.finish()
        return options
    }

    private func decodeTmpfsOptions(_ fields: inout Fields) -> TmpfsOptions? {
        guard var inner = fields.fields("tmpfs") else { return nil }
        var options = TmpfsOptions()
        options.size = inner.bytes("size")
        options.mode = decodeMode(&inner)
        inner.finish()
        return options
    }

    private func decodeImageSubpath(_ fields: inout Fields) -> String? {
        guard var inner = fields.fields("image") else { return nil }
        let subpath = inner.string("subpath")
        inner.finish()
        return subpath
    }

    /// Permission bits: quoted or with a leading zero they are octal, as `0440`; a plain number without one is decimal, as
    /// docker compose has it, and hardly ever what was meant.
    func decodeMode(_ fields: inout Fields) -> UInt32? {
        guard let node = fields.node("mode"), let text = fields.text(node, "mode") else { return nil }
        let digits = text.hasPrefix("0o") ? String(text.dropFirst(2)) : text
        let isDecimal = node.intValue != nil && !text.hasPrefix("0")
        guard let mode = isDecimal ? UInt32(text) : UInt32(digits, radix: 8) else {
            state.error(
                "`\(fields.path).mode`: invalid permissions `\(text)`", at: node.mark, hint: "write such as \"0440\"")
            return nil
        }
        if isDecimal {
            let octal = "0" + String(mode, radix: 8)
            let meant = UInt32(text, radix: 8).flatMap { $0 <= 0o7777 ? "0\(text)" : nil }
            state.warning(
                "`\(fields.path).mode`: \(text) is decimal and means the mode \(octal)", at: node.mark,
                hint: meant.map { "write \($0), or \(octal) if that is meant" } ?? "write \(octal)")
        }
        return mode
    }

    private func decodeTmpfs(_ fields: inout Fields) -> [TmpfsMount] {
        guard let node = fields.node("tmpfs") else { return [] }
        let path = "\(fields.path).tmpfs"
        return (node.sequence ?? [node]).compactMap { item in
            guard let text = fields.string(item, "tmpfs") else { return nil }
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let target = checkedTarget(parts[0], path: path, at: item.mark) else { return nil }
            var mount = TmpfsMount(target: target, mark: item.mark)
            for option in parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : [] {
                let (key, value) = splitKeyValue(option)
                switch (key, value) {
                case ("size", let value?): mount.size = ByteSize.parse(value)
                case ("mode", let value?): mount.mode = UInt32(value, radix: 8)
                default: mount.options.append(option)
                }
                if key == "size" && mount.size == nil || key == "mode" && mount.mode == nil {
                    state.error(
                        "`\(path)`: `\(option)` cannot be read", at: item.mark, hint: "write size=64m or mode=1777")
                }
            }
            return mount
        }
    }

    private func decodeVolumesFrom(_ item: Node, _ fields: Fields) -> VolumesFrom? {
        guard let text = fields.string(item, "volumes_from") else { return nil }
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let isContainer = parts.first == "container" && parts.count > 1
        if isContainer { parts.removeFirst() }
        let access = parts.count > 1 ? parts[1] : "rw"
        guard parts.count <= 2, let name = parts.first, !name.isEmpty, access == "ro" || access == "rw" else {
            state.error(
                "`\(fields.path).volumes_from`: `\(text)` cannot be read", at: item.mark, hint: "write NAME[:ro|rw]")
            return nil
        }
        return VolumesFrom(name: name, isContainer: isContainer, isReadOnly: access == "ro", mark: item.mark)
    }

    func decodeFileReferences(_ fields: inout Fields, _ key: String) -> [FileReference] {
        fields.items(key).compactMap { item in
            var inner = Fields(item, path: "\(fields.path).\(key)", state: state)
            let source = inner.string("source")
            var reference = FileReference(source: source ?? "", mark: item.mark)
            reference.target = inner.string("target")
            reference.uid = inner.text("uid")
            reference.gid = inner.text("gid")
            reference.mode = decodeMode(&inner)
            inner.finish()
            guard let source, !source.isEmpty else {
                state.error(
                    "`\(fields.path).\(key)` has an entry without a source", at: item.mark, hint: "write its source")
                return nil
            }
            return reference
        }
    }

    private func decodeDevice(_ item: Node, path: String) -> DeviceMapping? {
        var fields = Fields(item, path: path, state: state)
        let source = fields.string("source")
        let target = fields.string("target")
        let permissions = fields.string("permissions") ?? "rwm"
        fields.finish()
        guard let source, !source.isEmpty else {
            state.error("`\(path)` has an entry without a source", at: item.mark, hint: "write the device")
            return nil
        }
        guard permissions.allSatisfy({ "rwm".contains($0) }) else {
            state.error("`\(path)`: invalid permissions `\(permissions)`", at: item.mark, hint: "write some of rwm")
            return nil
        }
        return DeviceMapping(source: source, target: target, permissions: permissions, mark: item.mark)
    }
}
