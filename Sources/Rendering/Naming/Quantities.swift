import Compose

/// Quantities as Kubernetes writes them.
enum Quantities {
    /// CPUs: whole ones as they are, others in thousandths.
    static func cpus(_ value: Double) -> String {
        let thousandths = Int((value * 1000).rounded(.up))
        return thousandths % 1000 == 0 ? "\(thousandths / 1000)" : "\(thousandths)m"
    }

    /// Bytes in the largest binary unit that divides them.
    static func bytes(_ value: Int64) -> String {
        for (unit, shift) in [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)] as [(String, Int64)]
        where value != 0 && value % (1 << shift) == 0 {
            return "\(value >> shift)\(unit)"
        }
        return "\(value)"
    }

    /// The largest number of the API's 32-bit fields.
    static let largest = Int(Int32.max)

    /// Whole seconds, rounded up; no more than the API can count.
    static func seconds(_ duration: Duration) -> Int { min(duration.roundedUpSeconds, largest) }
}
