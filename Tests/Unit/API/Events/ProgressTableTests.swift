import Core
import Service
import Testing

@testable import API

@Suite struct ProgressTableTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let ids = (0..<12).map { DownloadID(at: Timestamp(milliseconds: $0)) }

    /// Transfers of which each has a number of bytes; the odd ones are of a session.
    private static func readings(_ bytes: [Int64]) -> [RunningProgress] {
        zip(ids, bytes).enumerated().map { index, pair in
            let reading = ProgressReading(
                phase: .transferring,
                receivedBytes: pair.1,
                totalBytes: 100,
                bytesPerSecond: 1,
                connections: 1
            )
            return RunningProgress(id: pair.0, session: index % 2 == 0 ? nil : SessionName("s"), reading: reading)
        }
    }

    /// Looks as often as there are numbers, and says which transfers a stream is told of each time.
    private static func told(_ scans: [[Int64]], _ filter: EventFilter = EventFilter()) -> [[Int]] {
        var (table, last) = (ProgressTable(), DownloadID?.none)
        return scans.map { bytes in
            table.show(table.scan(at: readings(bytes), now: now))
            let next = table.next(after: last, for: filter)
            last = next.last
            let texts = next.frames.map { String(decoding: $0, as: UTF8.self) }
            #expect(table.hasChanges(for: filter) == !texts.isEmpty)
            return texts.compactMap { text in ids.firstIndex { text.contains($0.text) } }
        }
    }

    @Test func onlyWhatMovedIsTold() {
        #expect(Self.told([[1, 1], [1, 2], [1, 2], [2, 2]]) == [[0, 1], [1], [], [0]])
    }

    @Test func segmentsGoToThoseThatAskForThem() {
        var table = ProgressTable()
        let readings = Self.readings([1, 1])
        let segments = [SegmentReading(start: 0, end: 100, receivedBytes: 1, state: .waiting)]
        func texts(_ table: ProgressTable, hasSegments: Bool) -> [String] {
            let next = table.next(after: nil, for: EventFilter(), hasSegments: hasSegments)
            return next.frames.map { String(decoding: $0, as: UTF8.self) }
        }

        table.show(table.scan(at: readings, now: Self.now))
        #expect(texts(table, hasSegments: true).isEmpty)
        // Nothing moved, but somebody asks for those of the first now.
        table.show(
            table.scan(at: readings, now: Self.now) { $0.id == Self.ids[0] ? segments : nil }
        )

        #expect(texts(table, hasSegments: true).count == 1)
        #expect(texts(table, hasSegments: true).first?.contains(#""segments":[{"first_byte":0"#) == true)
        #expect(!texts(table, hasSegments: false).contains { $0.contains("segments") })
        table.show(table.scan(at: readings, now: Self.now) { $0.id == Self.ids[0] ? segments : nil })
        #expect(texts(table, hasSegments: true).isEmpty)
    }

    @Test func endedDownloadsLeaveTheProgressTable() {
        #expect(Self.told([[1, 1], [1]]) == [[0, 1], []])
    }

    @Test func manyAreToldInTurnsUntilEachWas() {
        let bytes = Array(repeating: Int64(1), count: 12)

        #expect(Self.told([bytes, bytes, bytes, bytes]) == [Array(0..<5), Array(5..<10), [10, 11, 0, 1, 2], []])
    }

    @Test func aFilterNarrowsThem() {
        #expect(Self.told([[1, 1, 1, 1]], EventFilter(session: SessionName("s"))) == [[1, 3]])
        #expect(Self.told([[1, 1, 1, 1]], EventFilter(download: Self.ids[2])) == [[2]])
        #expect(Self.told([[1]], EventFilter(types: [.downloadPaused])) == [[0]])
    }

    @Test func aFilteredReaderGetsEachDownloadOnce() {
        let bytes = Array(repeating: Int64(1), count: 12)

        #expect(Self.told([bytes, bytes, bytes], EventFilter(download: Self.ids[2])) == [[2], [], []])
        let session = Self.told([bytes, bytes, bytes], EventFilter(session: SessionName("s")))
        #expect(session == [[1, 3, 5, 7, 9], [11, 1, 3, 5, 7], []])
    }

    private static func event(_ type: EventType, of id: DownloadID) -> LoggedEvent {
        LoggedEvent(
            sequence: 1,
            id: EventID(at: now),
            type: type,
            at: now,
            download: id,
            session: nil,
            body: []
        )
    }

    /// How many of two transfers a stream is told of, after each of so many things that happened to the first.
    private static func told(after types: [EventType]) -> Int {
        var table = ProgressTable()
        table.show(table.scan(at: readings([1, 1]), now: now))
        table.follow(types.map { event($0, of: ids[0]) })
        // Its worker is still there, and has a little more.
        table.show(table.scan(at: readings([2, 2]), now: now))
        return table.next(after: nil, for: EventFilter()).frames.count
    }

    @Test(
        arguments: [
            [.downloadPaused], [.downloadCompleted], [.downloadRetrying, .downloadDeleted],
            [.downloadStarted, .downloadFailed],
        ] as [[EventType]]
    )
    func stoppedDownloadsReportNoProgress(_ types: [EventType]) {
        #expect(Self.told(after: types) == 1)
    }

    @Test(
        arguments: [
            [.downloadRestarted], [.downloadPaused, .downloadResumed, .downloadStarted],
            [.downloadRetrying, .downloadStarted],
        ] as [[EventType]]
    )
    func aDownloadThatRunsAgainReportsProgress(_ types: [EventType]) {
        #expect(Self.told(after: types) == 2)
    }

    @Test func aLookDoesNotShowWhatStoppedMeanwhile() {
        var table = ProgressTable()
        let scan = table.scan(at: Self.readings([1, 1]), now: Self.now)
        table.follow([Self.event(.downloadCancelled, of: Self.ids[0])])
        table.show(scan)

        #expect(table.next(after: nil, for: EventFilter()).frames.count == 1)
    }

    @Test func aDownloadWithANewWorkerReportsProgressAgain() {
        var table = ProgressTable()
        table.follow([Self.event(.downloadPaused, of: Self.ids[0])])
        for bytes in [[], [1]] as [[Int64]] { table.show(table.scan(at: Self.readings(bytes), now: Self.now)) }

        #expect(table.next(after: nil, for: EventFilter()).frames.count == 1)
    }

    @Test func progressReadBeforeAnEventIsNotReported() {
        var table = ProgressTable()
        table.show(table.scan(at: Self.readings([1, 1]), now: Self.now))
        table.follow([Self.event(.downloadRestarted, of: Self.ids[0])])

        #expect(table.next(after: nil, for: EventFilter()).frames.count == 1)
    }
}
