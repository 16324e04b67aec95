import Egress

/// What the session has asked for and spent, out of the log.
func printStatus(_ configuration: EgressConfiguration) throws {
    var accounts = Accounts(configuration)
    for entry in Ledger.entries(Ledger.path(configuration)) { accounts.apply(entry) }
    print(try encoded(accounts.status))
}

/// The log's lines from a number on.
func printLog(_ configuration: EgressConfiguration, from first: Int) throws {
    for entry in Ledger.entries(Ledger.path(configuration)) where entry.sequence >= first { print(try encoded(entry)) }
}

/// Whether it listens: for a health check.
func check(_ configuration: EgressConfiguration) throws -> Int32 {
    guard let port = configuration.ports.provider else { return 0 }
    let address = configuration.listen.map { $0 == "0.0.0.0" ? "127.0.0.1" : $0 } ?? configuration.address
    return dial(address, port: port, seconds: 2) == .open ? 0 : 1
}
