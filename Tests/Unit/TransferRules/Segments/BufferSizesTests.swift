import Testing
import TransferRules

struct BufferSizesTests {
    @Test(
        arguments: [
            (running: 1, connections: 1, receive: 512, gather: 256),
            (running: 4, connections: 32, receive: 512, gather: 256),
            // No more than 32 MiB for all.
            (running: 4, connections: 65, receive: 256, gather: 256),
            (running: 4, connections: 129, receive: 128, gather: 128),
            (running: 2, connections: 1000, receive: 32, gather: 32),
            (running: 5, connections: 5, receive: 128, gather: 128),
            (running: 64, connections: 64, receive: 64, gather: 64),
            (running: 256, connections: 256, receive: 8, gather: 32),
            (running: 257, connections: 257, receive: 4, gather: 32),
            (running: 1000, connections: 1000, receive: 4, gather: 32),
            (running: 1000, connections: 8000, receive: 4, gather: 16),
            (running: .max, connections: .max, receive: 4, gather: 16),
            (running: 0, connections: 0, receive: 512, gather: 256),
        ] as [(running: Int, connections: Int, receive: Int, gather: Int)]
    )
    func theMoreRunTheSmallerAreTheirBuffers(running: Int, connections: Int, receive: Int, gather: Int) {
        let sizes = BufferSizes(running: running, connections: connections)

        #expect(sizes.receive == receive << 10 && sizes.gather == gather << 10)
    }

    @Test(
        arguments: [
            (rate: nil, gather: 256 << 10), (rate: 1 << 40, gather: 256 << 10),
            // A twentieth of a second.
            (rate: 4 << 20, gather: (4 << 20) / 20), (rate: 1000, gather: 16 << 10), (rate: 0, gather: 16 << 10),
        ] as [(rate: Int64?, gather: Int)]
    )
    func aRateLimitBoundsWhatIsReceivedBeforeItIsCounted(rate: Int64?, gather: Int) {
        #expect(BufferSizes(running: 1, connections: 1).bounded(by: rate).gather == gather)
    }
}
