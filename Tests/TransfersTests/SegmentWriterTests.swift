import Curl
import Linux
import Model
import Synchronization
import TestSupport
import Testing

@testable import Transfers

struct SegmentWriterTests {
    private let folder = TemporaryFolder()

    private func writer(
        from start: Int64 = 0,
        to end: Int64? = nil,
        maxBytes: Int64? = nil,
        window: Int64 = 100
    ) throws -> SegmentWriter {
        let file = try Directory(path: folder.path).openFile(named: "part", access: .createIfMissing)
        let (_, wake) = AsyncStream.makeStream(of: Void.self)
        return SegmentWriter(
            file: file,
            from: start,
            begin: { end ?? .max },
            maxBytes: maxBytes,
            window: window,
            wake: { wake.yield() },
            writeback: { _, _ in },
            onAdvance: { _ in }
        )
    }

    private func write(_ count: Int, to writer: SegmentWriter) -> SinkVerdict {
        let bytes = [UInt8](repeating: 7, count: count)
        // The array outlives the call.
        return unsafe writer.write(bytes.span.bytes)
    }

    @Test func itWaitsAtTwoWindowsUntilThereIsARecord() throws {
        let writer = try writer()

        #expect((0..<4).map { _ in write(50, to: writer) } == [.taken, .taken, .taken, .taken])
        #expect(write(50, to: writer) == .wait)
        #expect(writer.writtenEnd == 200)
        #expect(writer.record(upTo: 100))
        #expect(write(50, to: writer) == .taken)
        #expect(!writer.record(upTo: 250))
    }

    @Test func nothingIsWrittenPastTheEnd() throws {
        let writer = try writer(from: 10, to: 60)

        #expect(write(30, to: writer) == .taken)
        #expect(write(30, to: writer) == .stop)
        #expect(writer.writtenEnd == 60)
        #expect(writer.isFull)
        #expect(writer.error == nil)
        #expect(try Directory(path: folder.path).information(of: "part").size == 60)
    }

    @Test func nothingIsWrittenPastTheLimit() throws {
        let writer = try writer(maxBytes: 60)

        #expect(write(60, to: writer) == .taken)
        #expect(write(1, to: writer) == .stop)
        #expect(writer.error?.error.code == .tooLarge)
        #expect(writer.writtenEnd == 60)
    }
}
