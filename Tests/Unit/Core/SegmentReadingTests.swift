import Core
import TestSupport
import Testing

/// What is made of the segments of a file that are too many to show.
@Suite struct SegmentReadingTests {
    /// Neighbours from byte 0 on.
    private static func segments(
        _ parts: [(size: Int64, state: SegmentReading.State)],
        received: (Int64) -> Int64 = { $0 / 2 }
    ) -> [SegmentReading] {
        var position: Int64 = 0
        return parts.map { part in
            defer { position += part.size }
            let bytes = [.received: part.size, .waiting: 0][part.state] ?? received(part.size)
            return SegmentReading(
                start: position,
                end: position + part.size,
                receivedBytes: bytes,
                state: part.state,
                bytesPerSecond: part.state == .running ? 3 : nil,
                authority: part.state == .running ? "a.example:80" : nil
            )
        }
    }

    @Test func fewStayAsTheyAre() {
        let few = Self.segments(Array(repeating: (1, .running), count: 64))

        #expect(few.merged() == few)
        #expect([SegmentReading]().merged() == [])
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func manyBecomeFewThatCoverTheSameBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let count = Int.random(in: 1...200, using: &random)
            let many = Self.segments(
                (0..<count).map { _ in
                    let state = SegmentReading.State.allCases[Int.random(in: 0..<3, using: &random)]
                    return (Int64.random(in: 1...1000, using: &random), state)
                }
            )
            let limit = Int.random(in: 1...80, using: &random)

            let few = many.merged(atMost: limit)

            #expect(few.count == min(count, limit))
            #expect(few.first?.start == 0 && few.last?.end == many.last?.end)
            for (former, latter) in zip(few, few.dropFirst()) { #expect(former.end == latter.start) }
            #expect(few.reduce(0) { $0 + $1.receivedBytes } == many.reduce(0) { $0 + $1.receivedBytes })
            for segment in few {
                #expect((segment.state == .received) == (segment.receivedBytes == segment.size))
                #expect((segment.state == .running) == (segment.bytesPerSecond != nil))
            }
            #expect(few.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) } == many.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) })
        }
    }

    @Test func connectionsStayApartWhileThereIsRoom() {
        let parts = (0..<30).flatMap { _ in
            [(1000, .running), (1, .received), (1, .waiting), (1, .received)] as [(Int64, SegmentReading.State)]
        }

        let few = Self.segments(parts).merged()

        #expect(few.count == 64)
        #expect(few.count { $0.state == .running } == 30)
    }

    @Test func theHostIsShownIfItIsOne() throws {
        let parts: [(Int64, SegmentReading.State)] = [(10, .received), (10, .running), (10, .waiting), (10, .running)]
        var segments = Self.segments(parts)

        #expect(segments.merged(atMost: 1).first?.authority == "a.example:80")
        segments[3].authority = "b.example:80"
        let one = try #require(segments.merged(atMost: 1).first)
        #expect(one.authority == nil)
        #expect(one.bytesPerSecond == 6)
        #expect(one.state == .running)
    }

    @Test func aWholeFileIsOneSegment() {
        let received = SegmentReading(start: 0, end: 10, receivedBytes: 10, state: .received)
        let running = SegmentReading(start: 0, end: nil, receivedBytes: 4, state: .running, bytesPerSecond: 2)

        #expect([SegmentReading].whole(total: 10, receivedBytes: 10, bytesPerSecond: 2) == [received])
        #expect([SegmentReading].whole(total: nil, receivedBytes: 4, bytesPerSecond: 2) == [running])
        #expect([SegmentReading].whole(total: 10, receivedBytes: 0).map(\.state) == [.waiting])
        #expect([SegmentReading].whole(total: 0, receivedBytes: 0) == [])
    }
}
