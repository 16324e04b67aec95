import FoundationEssentials

/// How often a test kills what it is about: SO_KILL_ROUNDS times, or as often as there is time for.
package func killRounds(_ few: Int) -> Int { hostEnvironment["SO_KILL_ROUNDS"].flatMap { Int($0) } ?? few }

/// A generator whose numbers depend on its seed alone (SplitMix64), so that a failure is seen again.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// For a test whose moments are random: begins at SO_SEED, else anywhere, and prints where, so that a failure can be had again.
    package static func ofTest(_ name: String = #function) -> SeededGenerator {
        let seed = hostEnvironment["SO_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("\(name): SO_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes hostile inputs from good ones: mutates bytes, lines and tokens of seeds, and splices them.
package struct Mutator {
    private var generator: SeededGenerator
    private let seeds: [[UInt8]]
    private let tokens: [[UInt8]]
    private let limit: Int
    private let mostRepeats: Int

    /// - Parameters:
    ///   - seeds: good inputs; at least one.
    ///   - tokens: what the input's grammar treats specially, thrown in here and there; at least one.
    ///   - limit: the greatest size of an input that is made.
    ///   - mostRepeats: how often one token may be repeated in a row.
    package init(seed: UInt64, seeds: [String], tokens: [String], limit: Int = 1 << 16, mostRepeats: Int = 2000) {
        generator = SeededGenerator(seed: seed)
        self.seeds = seeds.map { Array($0.utf8) }
        self.tokens = tokens.map { Array($0.utf8) }
        self.limit = limit
        self.mostRepeats = mostRepeats
    }

    /// The next input.
    package mutating func next() -> [UInt8] {
        var input = pick(seeds)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            mutate(&input)
            if input.count > limit { input.removeLast(input.count - limit) }
        }
        return input
    }

    private mutating func pick(_ choices: [[UInt8]]) -> [UInt8] { choices.randomElement(using: &generator) ?? [] }

    private mutating func place(_ input: [UInt8]) -> Int { Int.random(in: 0...input.count, using: &generator) }

    private mutating func range(_ input: [UInt8], most: Int) -> Range<Int> {
        let start = place(input)
        return start..<min(input.count, start + Int.random(in: 0...most, using: &generator))
    }

    private mutating func mutate(_ input: inout [UInt8]) {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            guard !input.isEmpty else { return }
            input[Int.random(in: 0..<input.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        case 1: input.removeSubrange(range(input, most: 40))
        case 2: input.insert(contentsOf: input[range(input, most: 40)], at: place(input))
        case 3, 4, 5: input.insert(contentsOf: pick(tokens), at: place(input))
        case 6: input.replaceSubrange(range(input, most: 8), with: pick(tokens))
        case 7: input.removeSubrange(place(input)...)
        case 8: splice(&input)
        case 9: repeatToken(&input)
        default: mutateLines(&input)
        }
    }

    /// Part of another seed in the middle of this one.
    private mutating func splice(_ input: inout [UInt8]) {
        let other = pick(seeds)
        input.insert(contentsOf: other[range(other, most: 200)], at: place(input))
    }

    /// One token very often: nesting, aliases, expansions.
    private mutating func repeatToken(_ input: inout [UInt8]) {
        let token = pick(tokens)
        let count = Int.random(in: 2...mostRepeats, using: &generator)
        input.insert(contentsOf: repeatElement(token, count: count).joined(), at: place(input))
    }

    /// Removes, doubles, swaps, moves or shifts lines.
    private mutating func mutateLines(_ input: inout [UInt8]) {
        var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let one = Int.random(in: 0..<lines.count, using: &generator)
        let two = Int.random(in: 0..<lines.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: lines.remove(at: one)
        case 1: lines.insert(lines[one], at: two)
        case 2: lines.swapAt(one, two)
        case 3: lines[one] = [UInt8](repeating: 0x20, count: Int.random(in: 1...8, using: &generator)) + lines[one]
        default: lines[one] = lines[one].dropFirst(Int.random(in: 1...8, using: &generator))
        }
        input = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}
