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
        let cells = [header] + rows.map { $0.map(Self.cell) }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
                .joined(separator: "   ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    private static func cell(_ node: Node) -> String {
        switch node.content {
        case .scalar(let scalar): node.isNull ? "-" : scalar.text
        case .sequence(let items): items.map(cell).joined(separator: ", ")
        case .mapping(let mapping): mapping.entries.map { "\($0.key)=\(cell($0.value))" }.joined(separator: ", ")
        }
    }
}
