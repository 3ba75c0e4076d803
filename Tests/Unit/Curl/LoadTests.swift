import Testing
import URLs

@testable import Curl

/// What a transfer costs follows how many there are.
struct LoadTests {
    private static func append(_ count: Int, to buffer: GatherBuffer) {
        // `unsafe`: the array outlives the call.
        unsafe [UInt8](repeating: 7, count: count).withUnsafeBytes { unsafe buffer.append($0) }
    }

    @Test func aBufferHasTheSizeOfThePresentWheneverItIsEmpty() {
        var size = 64 << 10
        let buffer = GatherBuffer(from: SpareMemory()) { size }
        #expect(buffer.allocated == 0)
        Self.append(1000, to: buffer)
        #expect(buffer.allocated == 64 << 10)

        size = 16 << 10
        #expect(buffer.hasRoom(for: (64 << 10) - 1000))
        buffer.removeFirst(400)
        #expect(buffer.allocated == 64 << 10 && buffer.count == 600)
        buffer.removeFirst(600)
        #expect(buffer.allocated == 0 && buffer.isEmpty)
        #expect(!buffer.hasRoom(for: (16 << 10) + 1))

        Self.append(1000, to: buffer)
        buffer.removeAll()
        #expect(buffer.allocated == 16 << 10)
        size = 64 << 10
        buffer.removeAll()
        Self.append(1000, to: buffer)
        #expect(buffer.allocated == 64 << 10)
    }

    /// - Parameter body: Called with a transfer of no loop, and with what a loop's callbacks share.
    private func withTransfer(_ body: (Transfer, LoopIteration) throws -> Void) throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let iteration = LoopIteration(
            mailbox: Mailbox(thread: thread),
            ConnectionCache(shared: IdleConnections(), loop: 0)
        )
        let transfer = Transfer(
            id: TransferID(number: 1),
            handle: try EasyHandle(),
            request: try #require(TransferRequest(to: GivenURL(parsing: "http://127.0.0.1/").url)),
            received: ByteCounter(),
            iteration: iteration
        )
        try body(transfer, iteration)
    }

    /// Servers with few threads may have none for a new connection, but answer on one that they have answered on.
    @Test func onlyARequestOnANewConnectionIsOverdueForLackOfAThread() throws {
        try withTransfer { transfer, _ in
            let address = try #require(SocketAddress("127.0.0.1", port: 80))
            transfer.address = address
            #expect(transfer.removeOverdueAddress(at: .now + .seconds(2)) == nil)

            transfer.openedSockets = 1

            #expect(transfer.removeOverdueAddress(at: .now + .seconds(2)) == address)
        }
    }

    @Test func inACrowdedLoopTheBytesOfOneReadAreOneWriteAndKeepNoBuffer() throws {
        try withTransfer { transfer, iteration in
            let sink = RecordingSink()
            transfer.sink = sink
            func receive(_ count: Int) {
                // `unsafe`: the array outlives the call.
                unsafe [UInt8](repeating: 7, count: count).withUnsafeBytes { _ = unsafe transfer.receiveBody($0) }
            }
            receive(1000)
            transfer.flush()
            #expect(transfer.gather.isEmpty && transfer.gather.allocated > 0)

            iteration.isCrowded = true
            receive(4096)
            receive(4096)
            receive(1000)
            #expect(transfer.deliveredBytes == 1000)
            let readers = iteration.removeReaders()
            #expect(readers.count == 1 && readers.first === transfer)
            transfer.endRead()

            #expect(transfer.deliveredBytes == 1000 + 9192 && sink.pieces == 2)
            #expect(transfer.gather.allocated == 0)
            #expect(iteration.removeReaders().isEmpty)
        }
    }

    @Test func fewTransfersAreServedAtEachTickAndManyAtEveryFourth() {
        let ids = (0..<8).map { TransferID(number: $0) }

        for id in ids {
            #expect((1...4).allSatisfy { id.isDelivered(at: $0, of: 256) })
            #expect((1...4).count { id.isDelivered(at: $0, of: 257) } == 1)
        }
        for tick in 1...4 as ClosedRange<UInt64> {
            #expect(ids.count { $0.isDelivered(at: tick, of: 257) } == 2)
        }
    }
}
