import Glibc
import Runtimes

/// The pages of this program's code that lie in memory. Most of them were used once, at the start; they are in the file, and read again where they are
/// used again.
package enum CodePages {
    /// Gives them back to the system; those at work come back by themselves.
    ///
    /// - Returns: how many bytes of the address space were looked at; 0 where the system does not tell what is mapped.
    @discardableResult
    package static func giveBack() -> Int {
        guard let bytes = try? Files.readIfPresent("/proc/self/maps") else { return 0 }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
            guard let range = code(line), let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound),
                // Nothing was ever written to them: what is dropped is in the file.
                madvise(start, Int(range.count), MADV_DONTNEED) == 0
            else { return sum }
            return sum + range.count
        }
    }

    /// The addresses of a mapping of code from a file: `7f00-7f10 r-xp 00000000 08:01 42 /usr/bin/so`.
    private static func code(_ line: Substring) -> Range<UInt>? {
        let words = line.split(separator: " ")
        guard words.count >= 6, words[1] == "r-xp", words[5].hasPrefix("/") else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }
}
