import Testing

@testable import Runtimes

@Suite struct ListeningPortsTests {
    /// As Linux 6.1 prints it.
    private let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
           1: 0100007F:0050 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1
           2: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000
        """

    @Test func `only sockets that listen count`() {
        #expect(ListeningPorts.listeners(in: table) == [8080, 22])
        #expect(ListeningPorts.listeners(in: "").isEmpty)
    }

    @Test func `nothing is told where there is no process`() {
        #expect(!ListeningPorts(process: ContainerProcess(directory: "/nonexistent", name: "x"), ports: [1]).areAllHeld)
        #expect(!ListeningPorts(process: ContainerProcess(directory: "/proc/self", name: "stat"), ports: []).areAllHeld)
    }
}
