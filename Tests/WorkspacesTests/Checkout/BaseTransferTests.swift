import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

/// The base store as it comes into a pod that mounts nothing of this host.
@Suite struct BaseTransferTests {
    /// Makes the clone out of what was brought, and looks whether it is the project.
    private func expectProject(_ fixture: CheckoutFixture, _ brought: String) async throws {
        var checkout = fixture.checkout
        checkout.baseStore = brought
        try await checkout.make(
            in: fixture.shell, at: fixture.start, identity: nil, references: fixture.base.checkoutReferences())
        let clone = GitRepository(at: checkout.directory)
        #expect(try read(checkout.directory + "/sub/c.txt") == "three\n")
        #expect(
            try await clone.git("rev-parse", "HEAD", "origin/main")
                == "\(fixture.start.commit)\n\(fixture.start.commit)")
        #expect(try await clone.git("fsck", "--full", "--strict") == "")
        #expect(!exists(brought + "/incoming.pack"))
    }

    @Test(arguments: [64, 300, 16 << 20])
    func `a project comes in pieces, and is whole`(_ size: Int) async throws {
        try await withCheckout { fixture in
            try await fixture.base.prepare(fixture.session, from: fixture.project(), at: fixture.start)
            let brought = fixture.directory + "/pod/base.git"
            var transfer = BaseTransfer(fixture.base, to: brought)
            transfer.pieceSize = size
            try await transfer.bring(fixture.session, fixture.start, into: fixture.shell)
            try await expectProject(fixture, brought)
            // Once is enough.
            try await transfer.bring(fixture.session, fixture.start, into: LyingShell(chunks: []))
        }
    }

    @Test func `pieces that are cut short or changed on the way are sent again`() async throws {
        try await withCheckout { fixture in
            try await fixture.base.prepare(fixture.session, from: fixture.project(), at: fixture.start)
            let brought = fixture.directory + "/pod/base.git"
            var transfer = BaseTransfer(fixture.base, to: brought)
            transfer.pieceSize = 200
            try await transfer.bring(
                fixture.session, fixture.start, into: BadLine(shell: fixture.shell, faults: Faults()))
            try await expectProject(fixture, brought)
        }
    }

    @Test func `a pod that never takes a piece ends it with words`() async throws {
        try await withCheckout { fixture in
            try await fixture.base.prepare(fixture.session, from: fixture.project(), at: fixture.start)
            let transfer = BaseTransfer(fixture.base, to: "/nowhere")
            let error = await #expect(throws: WorkspaceError.self) {
                try await transfer.bring(
                    fixture.session, fixture.start, into: LyingShell(chunks: [], status: 1))
            }
            #expect(error?.message.contains("byte 0") == true, "\(error?.description ?? "")")
        }
    }
}

private actor Faults {
    private var count = 0
    func next() -> Int {
        count += 1
        return count
    }
}

/// Of the pieces that are sent, the second is cut, the fourth changed, and the sixth taken although the client hears of a failure.
private struct BadLine: PodShell {
    let shell: LocalShell
    let faults: Faults

    func stream(
        _ command: [String], input: [UInt8],
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int {
        guard command.contains(BaseTransfer.taking) else { return try await shell.stream(command, input: input, body) }
        switch await faults.next() {
        case 2: return try await shell.stream(command, input: Array(input.prefix(input.count / 2)), body)
        case 4: return try await shell.stream(command, input: input.map { $0 ^ 1 }, body)
        case 6:
            _ = try await shell.stream(command, input: input, body)
            throw WorkspaceError(.unavailable, "the line is dead")
        default: return try await shell.stream(command, input: input, body)
        }
    }
}
