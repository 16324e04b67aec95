import YAML

/// A listing: the one place that prints tables, JSON and YAML.
struct Table {
    /// The columns' names as JSON and YAML write them; a table's header has them in capitals.
    var columns: [String]
    var rows: [[Node]]

    /// Prints the listing to stdout.
    func print(_ format: OutputFormat) {
        Terminal.output(text(format))
    }

    /// The listing as text.
    func text(_ format: OutputFormat) -> String {
        switch format {
        case .table: text
        case .json: node.json(pretty: true) + "\n"
        case .yaml: node.yaml()
        }
    }

    private var node: Node {
        .list(rows.map { row in .map(Array(zip(columns, row))) })
    }

    private var text: String {
        let header = columns.map { $0.uppercased().replacing("-", with: " ") }
        let lines = [header] + rows.map { $0.map(Self.cell) }
        let counts = lines.map { $0.map(Self.width) }
        let widths = columns.indices.map { column in counts.map { $0[column] }.max() ?? 0 }
        var output: [UInt8] = []
        for (cells, counts) in zip(lines, counts) {
            // What follows the last cell that has text would be nothing but blanks.
            let last = cells.lastIndex { !$0.isEmpty } ?? -1
            for column in cells.indices.prefix(last + 1) {
                output += cells[column].utf8
                guard column < last else { continue }
                output += repeatElement(UInt8(ascii: " "), count: widths[column] - counts[column] + 3)
            }
            output.append(UInt8(ascii: "\n"))
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// How many columns a cell takes; most are ASCII, whose bytes need no looking at.
    private static func width(_ cell: String) -> Int {
        cell.utf8.allSatisfy { $0 < 0x80 } ? cell.utf8.count : cell.count
    }

    /// What stands in a table may come from anybody: nothing of it acts on the terminal.
    private static func cell(_ node: Node) -> String { printable(text(of: node)) }

    private static func text(of node: Node) -> String {
        switch node.content {
        case .scalar(let scalar): node.isNull ? "-" : scalar.text
        case .sequence(let items): items.map(text).joined(separator: ", ")
        case .mapping(let mapping): mapping.entries.map { "\($0.key)=\(text(of: $0.value))" }.joined(separator: ", ")
        }
    }
}
