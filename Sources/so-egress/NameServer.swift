import Egress
import NIOCore
import NIOPosix

extension Gateway {
    /// The only name server that the agent's pod has. It asks nobody: a name that is allowed gets this pod's address.
    func nameServer(_ port: Int) async throws -> Listener {
        typealias Datagrams = NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, AddressedEnvelope<ByteBuffer>>
        let server = try await DatagramBootstrap(group: group).bind(host: address, port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try Datagrams(wrappingChannelSynchronously: channel) }
        }
        return {
            try await server.executeThenClose { inbound, outbound in
                for try await datagram in inbound {
                    guard let question = DNSQuestion(Array(datagram.data.readableBytesView)) else { continue }
                    let answer = ByteBuffer(bytes: answer(question))
                    try await outbound.write(AddressedEnvelope(remoteAddress: datagram.remoteAddress, data: answer))
                }
            }
        }
    }

    private func answer(_ question: DNSQuestion) -> [UInt8] {
        let own = configuration.hosts[question.name]
        guard own != nil || rule.allows(question.name) else {
            ledger.deny(question.name, .notAllowed)
            return question.denial
        }
        return IPAddress(own ?? configuration.address).map { question.answer($0) } ?? question.denial
    }
}
