import API
import ServiceSupport
import TestSupport
import Testing

/// The promise, tested on the program itself: whichever recorded byte of a part changes while nobody writes it, no
/// wrong file is published.
@Suite(.hangLimit)
struct RotTests {
    /// How the download comes to rest before its part is damaged.
    enum Rest: CaseIterable, Sendable {
        case pause, stop, kill
    }

    /// Where a byte changes.
    enum Place: CaseIterable, Sendable {
        case firstByte, tailOfFirstSegment, firstOfLaterSegment, middleOfLaterSegment, lastDurableByte

        func offset(in claims: [Range<Int64>]) -> Int64 {
            let sorted = claims.sorted { $0.lowerBound < $1.lowerBound }
            let (first, last) = (sorted[0], sorted[sorted.count - 1])
            return switch self {
            case .firstByte: first.lowerBound
            case .tailOfFirstSegment: first.upperBound - 1
            case .firstOfLaterSegment: last.lowerBound
            case .middleOfLaterSegment: (last.lowerBound + last.upperBound) / 2
            case .lastDurableByte: last.upperBound - 1
            }
        }
    }

    struct Case: CustomStringConvertible, Sendable {
        let size: Int64
        let connections: Int
        let rest: Rest
        let place: Place

        var description: String { "\(size) bytes, \(connections) connections, \(rest), \(place)" }
    }

    /// A file of one block over one connection, one of several over several, and a small one.
    private static let cases: [Case] = Rest.allCases.flatMap { rest in
        Place.allCases.map { Case(size: 18 << 20, connections: 4, rest: rest, place: $0) }
            + [.firstByte, .lastDurableByte].flatMap { place in
                [2 << 20, 9 << 20].map { Case(size: $0, connections: 1, rest: rest, place: place) }
            }
    }

    @Test func noRecordedByteThatChangesIsPublished() async throws {
        let workers = 4
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for (index, point) in Self.cases.enumerated() where index % workers == worker {
                        try await Self.run(point)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ point: Case) async throws {
        let content = Content(seed: 23, size: point.size)
        // Slow enough that every connection is seen at work, and the file is not whole before it comes to rest, also on
        // a busy machine. One connection brings the rest at once.
        let slow = Behaviour.pace(.drip(byteCount: 16 << 10, every: .milliseconds(30)))
        let slower = Behaviour.pace(.drip(byteCount: 8 << 10, every: .milliseconds(60)))
        // The first requests come before the download rests, so they are the slowest.
        let several = Array(repeating: slower, count: 8) + [slow]
        let origin = Origin(content, script: point.connections > 1 ? several : [slower, Behaviour()])
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let arguments = [
            "--min-free-bytes", "0", "--connections-per-download", "\(point.connections)",
        ]
        var service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        var client = ServiceClient(port: service.port)
        let created = try await client.post("/downloads", #"{"url":"\#(origin.url("/a"))"}"#)
        let id = try #require(created.json["id"]?.text)
        let run = KillRun(folder: folder.path, downloadCount: 1)
        try await poll("durable bytes of each connection", because: .commitElsewhere) {
            try run.record(of: id)
        } is: { record in
            record.durableBytes > 0 && record.claims.count >= (point.connections > 1 ? 3 : 1)
        }
        switch point.rest {
        case .pause:
            try await act("pause", on: id, service.port)
            // Its worker records what it has at its end.
            try await client.wait(id, "state", "paused")
            try await isAtRest(run, id)
        case .stop: #expect(try await service.terminate() == 0)
        case .kill: try await service.kill()
        }
        let record = try run.record(of: id)
        #expect(!record.claims.isEmpty, "\(point)")
        folder.damage(
            String(record.partPath.dropFirst(folder.path.count + 1)),
            at: point.place.offset(in: record.claims)
        )
        if point.rest == .pause {
            try await act("resume", on: id, service.port)
        } else {
            service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
            client = ServiceClient(port: service.port)
        }
        try await client.wait(id, "state", "completed")

        #expect(content.matches(fileAt: "\(folder.path)/downloads/a"), "\(point): a wrong file was published")
        #expect(try run.record(of: id).durableBytes == point.size)
        #expect(try await service.terminate() == 0)
    }

    private static func act(_ action: String, on id: String, _ port: UInt16) async throws {
        let type = ("Content-Type", "application/json")
        let response = try await HTTPClient(port: port)
            .send("PATCH", "/downloads/\(id)", fields: [type], body: Array(#"{"action":"\#(action)"}"#.utf8))
        #expect(response.status == 200, Comment(rawValue: response.text))
    }

    /// Waits until the worker of a paused download has recorded its last bytes.
    private static func isAtRest(_ run: KillRun, _ id: String) async throws {
        var (last, same) = (Int64(-1), 0)
        try await poll("50 looks without a change", because: .commitElsewhere) {
            try run.record(of: id).durableBytes
        } is: { durable in
            same = durable == last ? same + 1 : 0
            last = durable
            return same >= 50
        }
    }
}
