import Egress

/// Asks each target whether it can be reached, prints a line for each, and tells whether all are as expected.
///
/// A target is `address:port`, `dns:name` (whether this pod's resolver knows the name), or `dns:name@server`; `=address` behind it: an answer that
/// leads there alone is none. Networks hold a pod back some
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

/// Waits until the egress answers, then looks that no target does.
///
/// It waits for minutes: a busy host makes one pod long after the other, and a start whose egress fails ends this one too.
///
/// The canary listens before what is waited for here: a target that is closed then is closed for this pod.
func gate(_ arguments: [String]) async throws -> Bool {
    guard let egress = arguments.first else { return false }
    var isOpen = dial(egress) == .open
    for _ in 0..<6000 {
        if isOpen { break }
        try await Task.sleep(for: .milliseconds(50))
        isOpen = dial(egress) == .open
    }
    guard isOpen else {
        print("closed: the egress at \(egress) does not answer")
        return false
    }
    return try await probe(["closed"] + arguments.dropFirst())
}

private func ask(_ target: String) -> Reach {
    target.hasPrefix("dns:") ? askName(String(target.dropFirst(4))) : dial(target)
}
