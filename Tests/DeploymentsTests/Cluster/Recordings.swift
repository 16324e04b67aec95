import FoundationEssentials
import KubernetesClient
import TestSupport
import YAML

/// Answers that a real Kubernetes API gave, by their titles.
struct Recordings {
    /// `None` where the page has no such entry.
    private var entries: [String: Node] = [:]

    /// - Parameter name: a file of `KubernetesTestSupport/Recordings`, without `.http`.
    init(_ name: String) throws {
        let path = "\(Shared.packageRoot)/Tests/KubernetesTestSupport/Recordings/\(name).http"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for section in text.components(between: "\n### ") {
            let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
            guard let title = lines.first, let start = lines.firstIndex(where: { $0 == "{" || $0 == "[" }) else {
                continue
            }
            let end = lines[start...].firstIndex { $0 == "}" || $0 == "]" } ?? lines.endIndex - 1
            if let node = try? readJSON(lines[start...end].joined(separator: "\n").utf8) {
                entries[String(title.replacing("### ", with: ""))] = node
            }
        }
    }

    subscript(title: String) -> Node {
        get throws {
            guard let node = entries[title] else { throw Absent(title: title, known: entries.keys.sorted()) }
            return node
        }
    }

    struct Absent: Error {
        var title: String
        var known: [String]
    }
}

extension String {
    fileprivate func components(between separator: String) -> [String] {
        var rest = self[...]
        var result: [String] = []
        while let range = rest.firstRange(of: separator) {
            result.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return result + [String(rest)]
    }
}
