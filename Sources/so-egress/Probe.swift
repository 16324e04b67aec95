import Egress

/// Asks each target whether it can be reached, prints a line for each, and tells whether all are as expected.
///
/// A target is `address:port`, `dns:name` (whether this pod's resolver knows the name), or `dns:name@server`. Networks hold a pod back some
/// time after it has started: what should be closed and is not is asked again for five seconds.
func probe(_ arguments: [String]) async throws -> Bool {
    let expectsOpen = arguments.first == "open"
    var isGood = arguments.count > 1 && (expectsOpen || arguments.first == "closed")
    for target in arguments.dropFirst() {
        var reach = ask(target)
        for _ in 0..<25 where !expectsOpen && reach != .closed {
            try await Task.sleep(for: .milliseconds(200))
            reach = ask(target)
        }
        print("\(reach.rawValue) \(target)")
        if reach != (expectsOpen ? .open : .closed) { isGood = false }
    }
    return isGood
}

private func ask(_ target: String) -> Reach {
    target.hasPrefix("dns:") ? askName(String(target.dropFirst(4))) : dial(target)
}
