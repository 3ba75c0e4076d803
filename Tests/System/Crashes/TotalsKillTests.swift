import API
import Core
import GRDB
import ServiceSupport
import TestSupport
import Testing

/// Kept totals of downloads after kill -9, on the program itself: they are what a count finds, whatever was being
/// written (docs/decisions/0041).
@Suite(.hangLimit)
struct TotalsKillTests {
    private static let kills = 8
    private static let sessions = ["a", "b", nil]

    @Test func theKeptTotalsAreWhatACountFindsAfterEachKill() async throws {
        let seed = KillRun.seed
        print("totals kill test: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let folder = TemporaryFolder()
        let origin = Origin(Content(size: 300 << 10))
        defer { origin.stop() }
        for _ in 0..<Self.kills {
            let service = try await ServiceProcess(dataFolder: folder.path, arguments: ["--min-free-bytes", "0"])
            let (answers, answered) = AsyncStream<Void>.makeStream()
            let clients = Self.sessions.map { session in
                let seed = generator.next()
                return Task { await Self.work(ServiceClient(port: service.port), origin, session, seed, answered) }
            }
            let moment = Int.random(in: 1...40, using: &generator)
            for await _ in answers.prefix(moment) {}
            try await service.kill()
            for client in clients { await client.value }
            try Self.checkTotals(in: folder.path, "seed \(seed)")
        }

        let service = try await ServiceProcess(dataFolder: folder.path, arguments: ["--min-free-bytes", "0"])
        #expect(try await service.terminate() == 0)
        try Self.checkTotals(in: folder.path, "seed \(seed), after the last start")
    }

    /// Adds, changes and deletes downloads of a session until the service is gone.
    private static func work(
        _ client: ServiceClient,
        _ origin: Origin,
        _ session: String?,
        _ seed: UInt64,
        _ answered: AsyncStream<Void>.Continuation
    ) async {
        var generator = SplitMix64(seed: seed)
        let member = session.map { #","session":"\#($0)""# } ?? ""
        let item = #"{"url":"\#(origin.url())"\#(member)}"#
        let filter = session.map { #"{"session":"\#($0)"}"# } ?? "{}"
        while true {
            let action = generator.pick(["pause", "resume", "cancel", "retry", "delete"])
            let force = action == "delete" ? #","force":true"# : ""
            let requests = [
                ("/downloads/batch", #"{"items":[\#(Array(repeating: item, count: 20).joined(separator: ","))]}"#),
                ("/downloads/actions", #"{"action":"\#(action)","filter":\#(filter)\#(force)}"#),
            ]
            for (path, body) in requests {
                guard (try? await client.post(path, body)) != nil else { return }
                answered.yield()
            }
        }
    }

    /// Compares the kept totals with those of the rows, for all downloads and for each session.
    private static func checkTotals(in folder: String, _ run: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: "\(folder)/cormorant.db", configuration: configuration)
        let counts = DownloadState.allCases.map { state in
            ("\(state.rawValue)_count", "(SELECT count(*) FROM download d WHERE d.state = '\(state.rawValue)'")
        }
        let sums = [("received_bytes", "durable_bytes"), ("total_bytes", "total_bytes")].map { kept, column in
            (kept, "(SELECT coalesce(sum(d.\(column)), 0) FROM download d WHERE TRUE")
        }
        try database.read { database in
            for (kept, counted) in counts + sums {
                let all = try Int64.fetchAll(
                    database,
                    sql: "SELECT \(kept) FROM download_totals UNION ALL SELECT \(counted))"
                )
                #expect(all.count == 2 && all.first == all.last, "\(kept): \(all) \(run)")
                let wrong = try String.fetchAll(
                    database,
                    sql: "SELECT name FROM session s WHERE \(kept) <> \(counted) AND d.session = s.name)"
                )
                #expect(wrong.isEmpty, "\(kept) of \(wrong) \(run)")
            }
        }
    }
}
