/// A place in an input: what every diagnostic and every layered value points at.
///
/// Lines and columns count from one; a column is a count of Unicode scalars, as libyaml counts.
package struct Mark: Hashable, Sendable, CustomStringConvertible {
    /// The input's name as a user would write it: a path, or a description such as `--config`.
    package var file: String
    /// The line, from one; zero where the input has no lines (a command line flag).
    package var line: Int
    /// The column, from one; zero where the input has no columns.
    package var column: Int

    package init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, without the parts that are zero.
    package var description: String {
        switch (line, column) {
        case (0, _): file
        case (_, 0): "\(file):\(line)"
        default: "\(file):\(line):\(column)"
        }
    }
}
