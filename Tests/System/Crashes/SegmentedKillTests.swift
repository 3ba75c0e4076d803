import API
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// The promise with eight connections for each file: besides that nothing is lost or corrupt, what a kill makes the
/// origin send again is bounded, whatever the size of the file.
///
/// `CORMORANT_TEST_KILLS` and `CORMORANT_TEST_SEED` make it longer and repeat it.
@Suite(.hangLimit)
struct SegmentedKillTests {
    private static let connections = 8
    private static let downloadCount = 2
    private static let mebibyte: Int64 = 1 << 20
    /// The most that comes between two kills, in MiB.
    private static let most = 56
    /// What is written and not recorded: two windows, at which the connections wait, and what each of them was about to
    /// write. The origin sends no more than two windows in a second, in which case they would be larger.
    private static let unrecordedBound = 2 * 16 * mebibyte + Int64(connections) * mebibyte
    /// What was sent and is not in the file: in the sockets of the connections, which hold as much as Linux lets them
    /// grow to while nobody reads (`tcp_wmem` and `tcp_rmem`, tcp(7)), or taken over by another connection.
    private static let onTheWayBound = Int64(connections) * (4 + 6) * mebibyte
    private static let sentBound = unrecordedBound + onTheWayBound

    /// One of the files: what it has cost so far.
    private struct Cost {
        let id: String
        let path: String
        let content: Content
        var sent: Int64 = 0
        var durable: Int64 = 0
        var requestCount = 0
        var mostSegments = 0
        var mostRequests = 0
    }

    /// The worst of all kills and files.
    private struct Worst {
        var unrecorded: Int64 = 0
        var onTheWay: Int64 = 0
        var sentInVain: Int64 = 0
    }

    @Test func aKillCostsNoMoreThanTheWindowsHoweverManyConnectionsThereAre() async throws {
        // A machine that is too busy records no second segment before a kill: such a run says nothing.
        for seed in [KillRun.seed, KillRun.seed &+ 1, KillRun.seed &+ 2] where try await usesSegments(seed: seed) {
            return
        }
        Issue.record("no run had several segments")
    }

    /// - Returns: Whether a file had several segments when the service was killed.
    private func usesSegments(seed: UInt64) async throws -> Bool {
        let kills = Int(KillRun.number("CORMORANT_TEST_KILLS") ?? 6)
        print("segmented kill test: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let folder = TemporaryFolder()
        let origin = Origin()
        let receiver = Origin(script: [.page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        let arguments = [
            "--webhook-url", receiver.url("/hook"), "--min-free-bytes", "0",
            "--connections-per-download", "\(Self.connections)",
        ]
        // Enough for all kills, the last of which would else wait forever.
        let size = Int64(16 + 28 * kills) * Self.mebibyte + 4321
        var service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        var costs = try await Self.order(from: origin, size: size, seed: seed, ServiceClient(port: service.port))
        let run = KillRun(folder: folder.path, downloadCount: Self.downloadCount)
        var worst = Worst()
        // A busy machine is slow to kill: then all may have come before the last of them.
        let isOver = Signal()
        let ending = Task {
            let ends = await run.terminalEvents(at: receiver)
            isOver.fire()
            for _ in 0..<Self.most { origin.mebibytes.fire() }
            return ends
        }
        for _ in 0..<kills {
            let next = origin.mebibytes.count + Int.random(in: 12...Self.most, using: &generator)
            guard isOver.count == 0 else { break }
            await origin.mebibytes.wait(for: next)
            try await service.kill()
            for index in costs.indices { try Self.update(&costs[index], run, origin, &worst) }
            service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
            try await ServiceClient(port: service.port).resumeAll(of: "kill")
        }
        let ends = await ending.value
        #expect(try await service.terminate() == 0)

        let corrupt = costs.filter { !$0.content.matches(fileAt: "\(folder.path)/downloads\($0.path)") }
        let twice = costs.map { origin.sentBytes(of: $0.path) - size }.reduce(0, +)
        print(
            """
            segmented kill test: seed \(seed), \(Self.connections) connections, \(kills) kills, \
            segments \(costs.map(\.mostSegments)), requests of one run \(costs.map(\.mostRequests)), \
            lost \(Self.downloadCount - ends.count), corrupt \(corrupt.count), \
            worst unrecorded \(worst.unrecorded) of \(Self.unrecordedBound), \
            worst on the way \(worst.onTheWay) of \(Self.onTheWayBound), \
            worst sent again \(worst.sentInVain) of \(Self.sentBound), sent twice in all \(twice)
            """
        )
        #expect(worst.unrecorded <= Self.unrecordedBound)
        #expect(worst.onTheWay <= Self.onTheWayBound)
        #expect(worst.sentInVain <= Self.sentBound)
        #expect(corrupt.isEmpty)
        #expect(ends.count == Self.downloadCount)
        try run.checkRows()
        return costs.contains { $0.mostSegments >= 2 && $0.mostRequests >= 2 }
    }

    /// Asks for the files.
    private static func order(
        from origin: Origin,
        size: Int64,
        seed: UInt64,
        _ client: ServiceClient
    ) async throws -> [Cost] {
        // So slow that one connection alone would take long.
        let pace = Behaviour.pace(.drip(byteCount: 32 << 10, every: .milliseconds(8)))
        var costs: [Cost] = []
        for index in 0..<downloadCount {
            let path = "/\(index).bin"
            let content = Content(seed: seed &+ UInt64(index), size: size)
            origin.serve(path, content, script: [pace])
            let response = try await client.post("/downloads", #"{"url":"\#(origin.url(path))","session":"kill"}"#)
            costs.append(Cost(id: try #require(response.json["id"]?.text), path: path, content: content))
        }
        return costs
    }

    /// Settles what a file has gained by a run of the service against what the origin sent of it.
    private static func update(
        _ cost: inout Cost,
        _ run: KillRun,
        _ origin: Origin,
        _ worst: inout Worst
    ) throws {
        let record = try run.record(of: cost.id)
        let sent = origin.sentBytes(of: cost.path)
        let requestCount = origin.requests.filter { $0.path == cost.path }.count
        let isComplete = record.state == "completed"
        let durable = isComplete ? cost.content.size : record.durableBytes
        let sentInVain = (sent - cost.sent) - (durable - cost.durable)
        worst.sentInVain = max(worst.sentInVain, sentInVain)
        cost.mostSegments = max(cost.mostSegments, record.claims.count)
        cost.mostRequests = max(cost.mostRequests, requestCount - cost.requestCount)
        (cost.sent, cost.durable, cost.requestCount) = (sent, durable, requestCount)
        let part = isComplete ? nil : FileHandle(forUpdatingAtPath: record.partPath)
        let unrecorded = try part.map { try wipe($0, but: record.claims) } ?? 0
        worst.unrecorded = max(worst.unrecorded, unrecorded)
        worst.onTheWay = max(worst.onTheWay, sentInVain - unrecorded)
        guard let part else { return }
        for claim in record.claims where !claim.isEmpty {
            // The end of what is claimed is what would be missing.
            let tail = max(claim.lowerBound, claim.upperBound - 256 << 10)..<claim.upperBound
            try part.seek(toOffset: UInt64(tail.lowerBound))
            #expect(try part.read(upToCount: tail.count) == Data(cost.content.bytes(in: tail)), "\(claim)")
        }
    }

    /// Counts the bytes of pages that were written and that nothing claims, and makes zeros of them: nobody may rely on
    /// them, and those of one run are not to be counted with the next one's.
    ///
    /// What was allocated and not written reads as zeros, and no word of a ``Content`` is zero.
    private static func wipe(_ part: FileHandle, but claims: [Range<Int64>]) throws -> Int64 {
        let page = 4096
        var count: Int64 = 0
        var start: Int64 = 0
        while true {
            try part.seek(toOffset: UInt64(start))
            guard let bytes = try part.read(upToCount: 256 * page), !bytes.isEmpty else { return count }
            let written = bytes.withUnsafeBytes { bytes in
                stride(from: page, through: bytes.count, by: page).filter {
                    bytes.loadUnaligned(fromByteOffset: $0 - 8, as: UInt64.self) != 0
                }
            }
            for end in written {
                let place = start + Int64(end - page)..<start + Int64(end)
                guard !claims.contains(where: { $0.overlaps(place) }) else { continue }
                count += Int64(page)
                try part.seek(toOffset: UInt64(place.lowerBound))
                try part.write(contentsOf: Data(count: page))
            }
            start += Int64(bytes.count)
        }
    }
}
