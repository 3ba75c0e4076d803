import Core
import Curl
import Linux
import Synchronization
import TestSupport
import Testing
import TransferRules

@testable import Transfer

struct SegmentWriterTests {
    private let folder = TemporaryFolder()

    private func writer(
        from start: Int64 = 0,
        to end: Int64? = nil,
        maxBytes: Int64? = nil,
        window: FlushWindow? = nil,
        throttle: RateThrottle? = nil,
        extend: Int64? = nil
    ) throws -> SegmentWriter {
        let file = try Directory(path: folder.path).openFile(named: "part", access: .createIfMissing)
        let limits = SegmentWriter.Limits(maxBytes: maxBytes, window: window, throttle: throttle)
        return SegmentWriter(file: file, from: start, Share(end: end ?? .max, extended: extend), limits)
    }

    /// A share that no other connection wants.
    private struct Share: WriterShare {
        let end: Int64
        let extended: Int64?

        func begin(_ setEnd: (Int64) -> Void) { setEnd(end) }

        func extend(_ setEnd: (Int64) -> Void) {
            if let extended { setEnd(extended) }
        }

        func advance(to position: Int64, _ digests: [BlockDigest]) {}

        func startWriteback(_ range: Range<Int64>) {}
    }

    private func write(_ count: Int, to writer: SegmentWriter) -> SinkResult {
        let bytes = [UInt8](repeating: 7, count: count)
        // The array outlives the call.
        return unsafe writer.write(bytes.span.bytes)
    }

    private static func window(of size: Int64, wake: @escaping @Sendable () -> Void = {}) -> FlushWindow {
        FlushWindow(size: size, recorded: [], wake: wake)
    }

    private static func recorded(_ end: Int64) -> [Segment] {
        [Segment(index: 0, start: 0, end: nil, durableEnd: end)]
    }

    @Test func aWriterWaitsAfterTwoWindowsForACheckpoint() throws {
        let window = Self.window(of: 100)
        let writer = try writer(window: window)

        #expect((0..<4).map { _ in write(50, to: writer) } == [.taken, .taken, .taken, .taken])
        #expect(write(50, to: writer) == .wait)
        #expect(writer.writtenEnd == 200)
        window.updateRecorded(Self.recorded(100), at: .zero)
        #expect(writer.clearWaiting())
        #expect(write(50, to: writer) == .taken)
        #expect(!writer.clearWaiting())
    }

    @Test func theConnectionsOfADownloadHaveOneWindow() throws {
        let wakes = Counter()
        let window = Self.window(of: 100) { wakes.increment() }
        let (first, second) = (try writer(window: window), try writer(from: 1000, window: window))

        #expect(write(90, to: first) == .taken)
        #expect(wakes.value == 0)
        #expect(write(90, to: second) == .taken)
        #expect(wakes.value == 1)
        #expect(write(90, to: first) == .taken)
        #expect([first, second].map { write(1, to: $0) } == [.wait, .wait])
    }

    @Test(arguments: [(proposed: 150, end: 150), (100, 100), (99, 250), (300, 250)] as [(proposed: Int64, end: Int64)])
    func theEndIsBroughtForwardUnlessItIsPassed(proposed: Int64, end: Int64) throws {
        let writer = try writer(to: 250)
        _ = write(100, to: writer)

        #expect(writer.limit(to: proposed) == end)
    }

    /// Other connections wait for its first byte, and the file perhaps for its last one.
    @Test func aWriterAcceptsTheFirstAndTheLastByteAtOnce() throws {
        let writer = try writer(to: 250)
        #expect(writer.leastOffer == 1)

        _ = write(100, to: writer)
        #expect(writer.leastOffer == 150)

        _ = writer.limit(to: 120)
        #expect(writer.leastOffer == 20)

        _ = write(30, to: writer)
        #expect(writer.leastOffer == 0 && writer.isFull)
    }

    @Test func aTransferWithoutCheckpointsNeverWaits() throws {
        let writer = try writer()

        #expect(write(1 << 20, to: writer) == .taken)
    }

    @Test func aPieceOfWhichAPartIsWrittenIsNotWrittenAgain() throws {
        let window = Self.window(of: 100)
        let writer = try writer(to: 250, window: window, extend: 1000)

        #expect([100, 90].map { write($0, to: writer) } == [.taken, .taken])
        #expect(write(100, to: writer) == .part(60))
        window.updateRecorded(Self.recorded(250), at: .zero)
        #expect(writer.clearWaiting())
        #expect(write(40, to: writer) == .taken)
        #expect(writer.writtenEnd == 290)
    }

    @Test func noMoreIsTakenThanTheRateAllows() async throws {
        let time = ManualTime()
        let limiter = RateLimiter(SharedRates(server: 100_000), time: time.source)
        let rate = limiter.rate(nil, revision: 1)
        let resumed = Signal()
        let throttle = limiter.throttle(for: rate, authority: "a:80") { resumed.fire() }
        let writer = try writer(window: Self.window(of: 1 << 20), throttle: throttle)

        #expect(write(5000, to: writer) == .wait)
        #expect(write(5000, to: writer) == .wait)
        #expect(writer.writtenEnd == 0)
        await time.sleepers(atLeast: 1)
        time.advance(by: .milliseconds(25))
        await resumed.wait()
        // The bytes of 20 ms are paid for at once; the 5 ms left over pay for no more.
        #expect(write(5000, to: writer) == .part(2000))
        #expect(writer.writtenEnd == 2000)
    }

    @Test func noByteIsWrittenPastTheEnd() throws {
        let writer = try writer(from: 10, to: 60)

        #expect(write(30, to: writer) == .taken)
        #expect(write(30, to: writer) == .stop)
        #expect(writer.writtenEnd == 60)
        #expect(writer.isFull)
        #expect(writer.error == nil)
        #expect(try Directory(path: folder.path).information(of: "part").size == 60)
    }

    @Test func noByteIsWrittenPastTheLimit() throws {
        let writer = try writer(maxBytes: 60)

        #expect(write(60, to: writer) == .taken)
        #expect(write(1, to: writer) == .stop)
        #expect(writer.error?.error.code == .tooLarge)
        #expect(writer.writtenEnd == 60)
    }
}
