import Egress

/// Asks each target whether it can be reached, prints a line for each, and tells whether all are as expected.
///
/// A target is `address:port`, `dns:name` (whether this pod's resolver knows the name), or `dns:name@server`.
func probe(_ arguments: [String]) async -> Bool {
    let expectsOpen = arguments.first == "open"
    var isGood = arguments.count > 1 && (expectsOpen || arguments.first == "closed")
    for target in arguments.dropFirst() {
        let reach = target.hasPrefix("dns:") ? ask(String(target.dropFirst(4))) : dial(target)
        print("\(reach.rawValue) \(target)")
        if (reach == .open) != expectsOpen || (!expectsOpen && reach == .refused) { isGood = false }
    }
    return isGood
}
