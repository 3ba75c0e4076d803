import Core
import Service
import TestSupport
import Testing

@testable import API

/// What a stream is sent next.
@Suite struct StreamStateTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let id = DownloadID(at: now)
    private static let request = with(StreamRequest()) { $0.hasSnapshot = false }

    private static func entry(_ sequence: Int64, _ type: EventType = .downloadPaused) -> EventTail.Entry {
        let event = LoggedEvent(
            sequence: sequence,
            id: EventID(at: now),
            type: type,
            at: now,
            download: nil,
            session: nil,
            body: []
        )
        return EventTail.Entry(event: event, frame: Array("event \(sequence)".utf8))
    }

    private static func reading(_ bytes: Int64) -> RunningProgress {
        let reading = ProgressReading(
            phase: .transferring,
            receivedBytes: bytes,
            totalBytes: 100,
            bytesPerSecond: 1,
            connections: 1
        )
        return RunningProgress(id: id, session: nil, reading: reading)
    }

    /// A stream that was sent how it begins.
    private static func opened(_ shared: EventStream.Shared) -> StreamState {
        let window = EventWindow(oldest: nil, newest: 0)
        var state = StreamState(request, window, now: .zero, StreamSettings())
        for _ in 0..<2 { _ = state.next(request, shared, now) }
        return state
    }

    /// What it has to send now, as text; nil for nothing.
    private static func text(_ state: inout StreamState, _ shared: EventStream.Shared) -> String? {
        guard case .bytes(let bytes) = state.next(request, shared, now) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A client that took nothing for a while finds all events, then one reading of a transfer: the newest.
    @Test func eventsComeFirstAndOfProgressOnlyTheNewest() {
        var shared = EventStream.Shared(tail: EventTail(after: 0))
        var state = Self.opened(shared)
        for bytes in [1, 2, 77] as [Int64] {
            shared.progress.show(shared.progress.scan(at: [Self.reading(bytes)], now: Self.now))
            _ = state.tick(.milliseconds(250), hasChanges: true, heartbeat: .seconds(15))
        }
        shared.tail.append([Self.entry(1), Self.entry(2)], upTo: 2)

        #expect(Self.text(&state, shared) == "event 1")
        #expect(Self.text(&state, shared) == "event 2")
        #expect(Self.text(&state, shared)?.contains(#""received_bytes":77"#) == true)
        #expect(Self.text(&state, shared) == nil)
    }

    @Test func aStreamBehindTheTailReadsTheLog() {
        var shared = EventStream.Shared(tail: EventTail(after: 0))
        var state = Self.opened(shared)
        let count = Int64(EventTail.capacity) + 1
        shared.tail.append((1...count).map { Self.entry($0) }, upTo: count)

        #expect(Self.text(&state, shared) == nil)
        let isRead = state.beginFetching()
        #expect(isRead)
        guard case .events(_, let position) = state.query(Self.request) else {
            Issue.record("it wants no events")
            return
        }
        #expect(position == 0)
    }

    /// Else it would go over all of them again when it connects again, or find that they are not kept any more.
    @Test func aStreamWithoutMatchesContinuesFromItsPosition() {
        var shared = EventStream.Shared(tail: EventTail(after: 0))
        var request = StreamRequest()
        request.filter = EventFilter(types: [.downloadDeleted])
        request.hasSnapshot = false
        var state = StreamState(request, EventWindow(oldest: nil, newest: 0), now: .zero, StreamSettings())
        for _ in 0..<2 { _ = state.next(request, shared, Self.now) }
        shared.tail.append([Self.entry(1), Self.entry(2)], upTo: 2)

        var texts: [String] = []
        for second in [0, 15, 30] {
            _ = state.tick(.seconds(second), hasChanges: false, heartbeat: .seconds(15))
            while case .bytes(let bytes) = state.next(request, shared, Self.now) {
                texts.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        #expect(texts == ["id: 2\n\n", ": hb 1800000000\n\n", ": hb 1800000000\n\n"])
    }

    /// What is read of a log that hardly has what it asks for comes in pages that end before the log does.
    @Test func aStreamIsReadForUntilTheEndOfTheLog() {
        let shared = EventStream.Shared(tail: EventTail(after: 50))
        var request = StreamRequest()
        request.lastEvent = 0
        let window = EventWindow(oldest: 1, newest: 50)
        var state = StreamState(request, window, now: .zero, StreamSettings())
        _ = state.next(request, shared, Self.now)

        var fetches = 0
        for last in [20, 40, 50] as [Int64] where state.beginFetching() {
            fetches += 1
            state.receive(EventPage(window: window, events: [], last: last), [], request)
        }
        #expect(fetches == 3)
        let wantsMore = state.beginFetching()
        #expect(!wantsMore)
    }

    /// It was opened at 3, and the log had come to 5 when the first part was read. Whatever types it is told of, it
    /// shares its snapshot with all that are shown the same downloads.
    @Test func aStreamContinuesFromItsSnapshot() {
        let shared = EventStream.Shared(tail: EventTail(after: 5))
        var request = StreamRequest()
        request.filter = EventFilter(types: [.downloadPaused])
        var state = StreamState(request, EventWindow(oldest: 1, newest: 3), now: .zero, StreamSettings())
        _ = state.next(request, shared, Self.now)
        let place = SnapshotPlace(id: Self.id, sequence: 5)

        var queries: [EventStream.Query] = []
        for next in [place, nil] where state.beginFetching() {
            queries.append(state.query(request))
            let frame = Array("part \(queries.count)".utf8)
            state.receive(SnapshotPart(frame: frame, sequence: 5, next: next, haveAllEnded: false), request)
            #expect(Self.text(&state, shared) == "part \(queries.count)")
        }
        #expect(queries == [.snapshot(EventFilter(), nil), .snapshot(EventFilter(), place)])
        #expect(state.query(request) == .events(request.filter, after: 5))
    }

    /// A download stays ended when its file goes later, and goes on when it is retried.
    @Test(
        arguments: [
            ([.downloadCompleted, .downloadFileMissing], true), ([.downloadCompleted, .fileExpired], true),
            ([.downloadFailed, .downloadDeleted], true), ([.downloadFailed, .downloadResumed], false),
        ] as [([EventType], Bool)]
    )
    func aStreamOfADownloadEndsOnceTheDownloadHas(_ types: [EventType], _ hasEnded: Bool) {
        let shared = EventStream.Shared(tail: EventTail(after: 2))
        var request = StreamRequest()
        request.lastEvent = 0
        request.subject = Self.id
        let window = EventWindow(oldest: 1, newest: 2)
        var state = StreamState(request, window, now: .zero, StreamSettings())
        _ = state.beginFetching()
        let entries = zip(1..., types).map { Self.entry($0, $1) }
        state.receive(EventPage(window: window, events: entries.map(\.event), last: 2), entries, request)

        var sent: [String] = []
        while case .bytes(let bytes) = state.next(request, shared, Self.now) {
            sent.append(String(decoding: bytes, as: UTF8.self))
        }
        #expect(sent.contains { $0.contains("event: end") } == hasEnded)
    }

    @Test func silenceIsBrokenOnce() {
        let shared = EventStream.Shared(tail: EventTail(after: 0))
        var state = Self.opened(shared)
        // What began the stream was sent.
        _ = state.tick(.zero, hasChanges: false, heartbeat: .seconds(15))

        let wakes = [14, 15, 16].map { state.tick(.seconds($0), hasChanges: false, heartbeat: .seconds(15)) }
        #expect(wakes == [false, true, true])
        #expect(Self.text(&state, shared) == ": hb 1800000000\n\n")
        #expect(Self.text(&state, shared) == nil)
    }
}
