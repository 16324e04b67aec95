import YAML

/// Why a text could not be interpolated.
enum SubstitutionError: Error, Hashable {
    /// `${` without a sound name, operator or closing brace: the part from there.
    case invalidTemplate(String)
    case tooDeep
    /// The values that were put in come to more than ``Substitution/standardAllowance``.
    case tooLarge
}

/// A use of a variable that found none, and has no default.
struct UnsetUse: Hashable {
    var name: String
    /// What `${NAME:?message}` or `${NAME?message}` says; nil for a use that may find nothing.
    var requirement: String?
}

/// Replaces the variables of one text: https://github.com/compose-spec/compose-spec/blob/main/12-interpolation.md.
struct Substitution {
    /// How deeply defaults may nest.
    static let depthLimit = 64
    /// What the values that one load puts in may come to, in bytes: twice a variable's value in the next one's makes any size.
    static let standardAllowance = 64 << 20
    /// What a use costs besides its value: it is remembered.
    private static let costOfUse = 64

    let lookup: (String) -> Variable?
    /// Every use of a variable, in the order in which the text names them; those inside an unused default are left out.
    private(set) var uses: [VariableUse] = []
    /// Those that found nothing. An empty text stands for each, required or not, so that what is around it can be judged too.
    private(set) var unset: [UnsetUse] = []
    /// How many bytes may be put in yet.
    private(set) var allowance: Int

    init(allowance: Int = standardAllowance, lookup: @escaping (String) -> Variable?) {
        self.allowance = allowance
        self.lookup = lookup
    }

    /// The text with every variable replaced; secrets stand in it as placeholders.
    mutating func substitute(_ text: String) throws(SubstitutionError) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        return String(decoding: try substitute(Array(text.utf8)[...], depth: 0), as: UTF8.self)
    }

    private mutating func substitute(
        _ text: ArraySlice<UInt8>, depth: Int
    ) throws(SubstitutionError) -> [UInt8] {
        guard depth < Self.depthLimit else { throw .tooDeep }
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "$"), index + 1 < text.endIndex else {
                output.append(text[index])
                index += 1
                continue
            }
            switch text[index + 1] {
            case UInt8(ascii: "$"):
                output.append(UInt8(ascii: "$"))
                index += 2
            case UInt8(ascii: "{"):
                let expression = try BracedExpression(text, at: index)
                output += try evaluate(expression, depth: depth)
                index = expression.end
            case let byte where isNameStart(byte):
                let end = text[(index + 1)...].firstIndex { !isNamePart($0) } ?? text.endIndex
                output += try plainValue(String(decoding: text[(index + 1)..<end], as: UTF8.self))
                index = end
            default:
                output.append(text[index])
                index += 1
            }
        }
        return output
    }

    /// The bytes of a value that is put in.
    private mutating func spend(_ variable: Variable) throws(SubstitutionError) -> [UInt8] {
        let bytes = Array(variable.value.encoded.utf8)
        allowance -= bytes.count + Self.costOfUse
        guard allowance >= 0 else { throw .tooLarge }
        return bytes
    }

    private mutating func plainValue(_ name: String) throws(SubstitutionError) -> [UInt8] {
        guard let variable = lookup(name) else {
            uses.append(VariableUse(name: name, outcome: .nothing))
            unset.append(UnsetUse(name: name))
            return []
        }
        uses.append(VariableUse(name: name, outcome: .value(variable)))
        return try spend(variable)
    }

    private mutating func evaluate(
        _ expression: BracedExpression, depth: Int
    ) throws(SubstitutionError) -> [UInt8] {
        guard let operation = expression.operation else { return try plainValue(expression.name) }
        let variable = lookup(expression.name)
        let counts = variable.map { !operation.needsContent || !$0.value.pieces.isEmpty } ?? false
        let place = uses.count
        switch (operation.kind, variable) {
        case (.fallback, let variable?) where counts:
            let written = unusedDefault(expression, depth: depth)
            uses.append(VariableUse(name: expression.name, outcome: .value(variable), unusedDefault: written))
            return try spend(variable)
        case (.required, let variable?) where counts:
            uses.append(VariableUse(name: expression.name, outcome: .value(variable)))
            return try spend(variable)
        case (.fallback, _):
            let text = try substitute(expression.argument, depth: depth + 1)
            let template = TemplateText(String(decoding: text, as: UTF8.self))
            uses.insert(VariableUse(name: expression.name, outcome: .defaultText(template, variable)), at: place)
            return text
        case (.required, _):
            // What the message names flows nowhere.
            var aside = Substitution(allowance: allowance, lookup: lookup)
            let message = try aside.substitute(expression.argument, depth: depth + 1)
            let masked = TemplateText(String(decoding: message, as: UTF8.self)).masked
            unset.append(UnsetUse(name: expression.name, requirement: masked))
            uses.append(VariableUse(name: expression.name, outcome: .nothing))
            return []
        case (.replacement, let variable?) where counts:
            let text = try substitute(expression.argument, depth: depth + 1)
            let template = TemplateText(String(decoding: text, as: UTF8.self))
            uses.insert(VariableUse(name: expression.name, outcome: .replacement(template, variable)), at: place)
            return text
        case (.replacement, _):
            uses.append(VariableUse(name: expression.name, outcome: .nothing))
            return []
        }
    }

    /// What a default comes to that is not used; nil if it has a fault, which then does not matter.
    private func unusedDefault(_ expression: BracedExpression, depth: Int) -> TemplateText? {
        var aside = Substitution(allowance: allowance, lookup: lookup)
        guard let text = try? aside.substitute(expression.argument, depth: depth + 1),
            !aside.unset.contains(where: { $0.requirement != nil })
        else { return nil }
        return TemplateText(String(decoding: text, as: UTF8.self))
    }
}

/// `[_A-Za-z]`.
func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: false
    }
}

/// `[_A-Za-z0-9]`.
func isNamePart(_ byte: UInt8) -> Bool {
    isNameStart(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
