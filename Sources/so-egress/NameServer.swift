import Egress
import NIOCore
import NIOPosix

extension Gateway {
    /// The only name server that the agent's pod has. It asks nobody outside: a name that is allowed gets this pod's address.
    func nameServer(_ port: Int) async throws -> Listener {
        typealias Datagrams = NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, AddressedEnvelope<ByteBuffer>>
        let server = try await DatagramBootstrap(group: group).bind(host: address, port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try Datagrams(wrappingChannelSynchronously: channel) }
        }
        return {
            try await server.executeThenClose { inbound, outbound in
                try await withThrowingDiscardingTaskGroup { tasks in
                    for try await datagram in inbound {
                        guard let question = DNSQuestion(Array(datagram.data.readableBytesView)) else { continue }
                        guard needsLookUp(question) else {
                            try await outbound.write(datagram.answer(answer(question, leadingTo: place(question))))
                            continue
                        }
                        tasks.addTask {
                            let found = try? await resolver.declaredAddresses(place(question), port: 53)
                            let own = found?.compactMap(\.ipAddress).first { !$0.contains(":") } ?? ""
                            try await outbound.write(datagram.answer(answer(question, leadingTo: own)))
                        }
                    }
                }
            }
        }
    }

    /// Where a name leads that may be asked for: an address, or a name of the session's own that its runtime knows.
    private func place(_ question: DNSQuestion) -> String {
        configuration.hosts[question.name] ?? configuration.address
    }

    private func isKnown(_ question: DNSQuestion) -> Bool {
        configuration.hosts[question.name] != nil || rule.allows(question.name)
    }

    /// Whether the runtime has to be asked; never for a name that the agent made up.
    private func needsLookUp(_ question: DNSQuestion) -> Bool {
        isKnown(question) && IPAddress(place(question)) == nil
    }

    private func answer(_ question: DNSQuestion, leadingTo address: String) -> [UInt8] {
        guard isKnown(question) else {
            if question.name != probedName { ledger.deny(question.name, .notAllowed) }
            return question.denial
        }
        return IPAddress(address).map { question.answer($0) } ?? question.denial
    }
}

extension AddressedEnvelope<ByteBuffer> {
    fileprivate func answer(_ bytes: [UInt8]) -> AddressedEnvelope<ByteBuffer> {
        AddressedEnvelope(remoteAddress: remoteAddress, data: ByteBuffer(bytes: bytes))
    }
}
