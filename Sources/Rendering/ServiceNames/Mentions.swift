import Compose
import OrderedCollections
import YAML

extension RenderStage {
    /// Where a service names another: the key, and its place.
    func mention(of name: String, in workload: ServiceWorkload) -> (String, Mark)? {
        for (variable, value) in workload.service.environment where contains(value.text.masked, name) {
            return ("`environment.\(variable)`", value.mark)
        }
        for (key, words) in [("command", workload.service.command), ("entrypoint", workload.service.entrypoint)] {
            if words?.contains(where: { contains($0.masked, name) }) == true {
                return ("`\(key)`", workload.service.mark(of: key))
            }
        }
        return nil
    }

    /// Whether a text holds the name as a word of its own: a host, not a part of another name.
    func contains(_ text: String, _ name: String) -> Bool {
        let (bytes, word) = (Array(text.utf8), Array(name.utf8))
        guard !word.isEmpty, bytes.count >= word.count else { return false }
        func isPart(_ byte: UInt8) -> Bool {
            (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte == 45
                || byte == 95
                || byte == 46 || byte == 47
        }
        for start in 0...(bytes.count - word.count) where bytes[start] == word[0] {
            let end = start + word.count
            guard bytes[start..<end].elementsEqual(word) else { continue }
            let isAfterScheme = start >= 2 && bytes[start - 1] == 47 && bytes[start - 2] == 47
            let startsWord = start == 0 || isAfterScheme || !isPart(bytes[start - 1])
            let endsWord = end == bytes.count || bytes[end] == 47 || !isPart(bytes[end])
            if startsWord, endsWord { return true }
        }
        return false
    }
}
