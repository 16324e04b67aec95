/// Names for ports: lower-case letters, digits and hyphens, at most 15, at least one letter (IANA service names).
enum PortNames {
    /// The author's name for the port made valid, or `<port>-<protocol>` where there is none or it is taken.
    static func name(_ written: String?, port: Int, transport: String, taken: inout Set<String>) -> String {
        let candidates = [written.flatMap(valid), "\(port)-\(transport)"].compactMap(\.self)
        for candidate in candidates where taken.insert(candidate).inserted { return candidate }
        var number = 2
        while true {
            let candidate = "\(port)-\(transport)-\(number)"
            if taken.insert(candidate).inserted { return candidate }
            number += 1
        }
    }

    static func valid(_ written: String) -> String? {
        var name = ""
        for character in Names.label(written).prefix(15) where character != "-" || name.last != "-" {
            name.append(character)
        }
        while name.last == "-" { name.removeLast() }
        return name.contains(where: \.isLetter) ? name : nil
    }
}
