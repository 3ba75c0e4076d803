import Core
import GRDB
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Every statement that the store runs, watched as it runs and explained by SQLite.
@Suite struct QueryPlanTests {
    let fixture: Fixture
    private let raw: DatabaseQueue

    init() throws {
        fixture = try Fixture()
        raw = try DatabaseQueue(path: fixture.path)
    }

    /// Statements of one connection or several.
    private final class Log: Sendable {
        private let statements = Mutex<Set<String>>([])

        var all: [String] { statements.withLock { $0.sorted() } }

        func watch(_ database: any StoreDatabase) {
            (database as? SQLiteDatabase)?.connection.trace { [self] event in
                guard case .statement(let statement) = event else { return }
                let sql = statement.expandedSQL
                _ = statements.withLock { $0.insert(sql) }
            }
        }
    }

    func watched(_ work: () async throws -> Void) async throws -> [String] {
        let log = Log()
        // Reads that follow each other use the same connection.
        try await fixture.store.readers.read { log.watch($0) }
        try await fixture.store.writer.write { log.watch($0.database) }
        try await work()
        return log.all
    }

    func plan(of sql: String) throws -> [String] {
        try raw.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] }
        }
    }

    static func isExplainable(_ sql: String) -> Bool {
        ["SELECT", "UPDATE", "DELETE", "INSERT", "WITH"].contains { sql.hasPrefix($0) }
    }

    @Test(
        arguments: [nil, [.downloadPaused], [.downloadCompleted, .sessionFinished]] as [Set<EventType>?],
        [(nil, false), ("s", false), (nil, true), ("s", true)] as [(session: String?, hasDownload: Bool)]
    )
    func everyFilterOfTheLogUsesAnIndex(
        _ types: Set<EventType>?,
        subject: (session: String?, hasDownload: Bool)
    ) async throws {
        let id = try await fixture.make(session: "s").id
        let session = subject.session.flatMap { SessionName($0) }
        let filter = EventFilter(types: types, session: session, download: subject.hasDownload ? id : nil)
        let statements = try await watched { _ = try await fixture.store.events(filter, after: 0, limit: 10) }

        let reads = statements.filter { $0.contains("body FROM event") }
        #expect(reads.count == 1)
        for sql in reads {
            let plan = try plan(of: sql)
            #expect(!plan.contains { $0.hasPrefix("SCAN event") || $0.contains("TEMP B-TREE") }, "\(plan): \(sql)")
            let isNarrowed = session != nil || types != nil
            let index =
                subject.hasDownload ? "event_of_download" : isNarrowed ? "COVERING INDEX event_outline" : "PRIMARY KEY"
            #expect(plan.contains { $0.contains(index) }, "\(plan): \(sql)")
        }
    }

    /// What grows with the number of downloads, events or deliveries is never walked from end to end, nor is a
    /// queue sorted anew: the indexes are in the order that is asked for.
    @Test func queriesDoNotScanOrSortGrowingTables() async throws {
        let statements = try await watched { try await everything() }
        #expect(statements.count > 30)

        for sql in statements where Self.isExplainable(sql) {
            let plan = try plan(of: sql)
            #expect(plan.filter(Self.isWalk).isEmpty, "\(plan): \(sql)")
            let isSorted = sql.contains("ORDER BY") && plan.contains("USE TEMP B-TREE FOR ORDER BY")
            #expect(!isSorted || Self.isBounded(sql), "\(plan): \(sql)")
        }
    }

    /// Each statement that makes, claims, settles, shows and sends again deliveries.
    private func deliverAll() async throws {
        let store = fixture.store
        let ordered = try await fixture.webhook { $0.ordering = .session }
        let thin = try await fixture.webhook { $0.form.payload = .thin }
        try await fixture.webhook { $0.session = SessionFilter("none") }
        _ = try await store.setUpSession(
            #require(SessionName("w")),
            SessionSettings(webhookIDs: [thin.id]),
            now: Fixture.now
        )
        try await fixture.end(2, session: "w")
        try await fixture.make(
            with(DownloadRequest(url: Fixture.url())) {
                $0.callbackURL = "https://callback.example/"
            }
        )
        let slots = DeliverySlots(free: 9, perWebhook: 3)
        let claim = try await store.claimDeliveries(slots, node: Fixture.node, now: Fixture.now)
        for (index, due) in claim.deliveries.enumerated() {
            let result: DeliveryAttempt.Result = index.isMultiple(of: 2) ? .succeeded : .retry(at: Fixture.at(1))
            try await store.recordDelivery(due, Deliveries.attempt(result))
        }
        _ = try await store.claimDeliveries(slots, node: Fixture.node, now: Fixture.at(3600))
        let narrow = DeliveryFilter(
            states: [.succeeded],
            types: [.downloadCancelled, .sessionFinished],
            since: Fixture.now,
            until: Fixture.at(1)
        )
        for filter in [DeliveryFilter(), narrow] {
            for delivery in try await store.deliveries(of: thin.id, filter, before: nil, limit: 5) {
                _ = try await store.delivery(delivery.id, of: thin.id)
                _ = try await store.redeliver(delivery.id, of: thin.id, now: Fixture.now)
            }
        }
        let period = Fixture.now..<Fixture.at(1)
        for state in [.disabled, .pending] as [DeliveryState] {
            _ = try await store.recoverDeliveries(of: thin.id, state, period, limit: 5, now: Fixture.now)
        }
        try await store.releaseStalledDeliveries(now: Fixture.at(-9))
        // A success after several failures makes the rest due.
        for result in [.retry(at: Fixture.at(9)), .retry(at: Fixture.at(9)), .succeeded] as [DeliveryAttempt.Result] {
            _ = try await store.ping(thin.id, now: Fixture.now)
            for delivery in try await store.claimDeliveries(limit: 1, perWebhook: 1, now: Fixture.now) {
                try await store.recordDelivery(delivery, Deliveries.attempt(result))
            }
        }
        _ = try await store.ping(thin.id, now: Fixture.now)
        _ = try await store.webhooks(after: nil, limit: 5)
        _ = try await store.deleteWebhook(ordered.id, expectedRevision: nil, now: Fixture.now)
        _ = try await store.claimDeliveries(slots, node: Fixture.node, now: Fixture.at(3600))
    }

    /// A table that grows, walked without an index.
    private static func isWalk(_ detail: String) -> Bool {
        ["download", "delivery", "d", "segment", "idempotency"].contains { detail == "SCAN \($0)" }
    }

    /// What these sort was limited before, or is what ended in one epoch.
    private static func isBounded(_ sql: String) -> Bool {
        sql.contains("row_number()") || sql.contains("INDEXED BY download_failed_by_epoch")
    }

    /// The rows of a session of which as many run as may are passed by with one look.
    @Test func aFullSessionCostsAClaimTheSameHoweverManyItHas() async throws {
        let (full, next) = (try #require(SessionName("full")), "next")
        _ = try await fixture.store.setUpSession(full, SessionSettings(maxConcurrent: 1), now: Fixture.now)
        _ = try await fixture.claimed(session: full.text)
        let queued = try await fixture.make(session: full.text)
        // The first download creates the session.
        try await claimAndCancelOne(of: next)
        let few = try await watched { try await claimAndCancelOne(of: next) }
        try copy(queued.id, times: 100_000)
        // After another connection wrote, webhooks and sessions are read again.
        try await claimAndCancelOne(of: next)

        let many = try await watched { try await claimAndCancelOne(of: next) }

        #expect(few.count == many.count)
        for sql in many where sql.hasPrefix("SELECT") {
            let plan = try plan(of: sql)
            #expect(plan.filter { $0.contains("SCAN download") && !$0.contains("download_running") }.isEmpty, "\(sql)")
        }
    }

    /// The webhooks are in memory, so what none of them wants is a comparison.
    @Test func anEventThatNoWebhookWantsCostsNoStatement() async throws {
        try await fixture.make()
        let none = try await watched { try await fixture.make() }
        for _ in 0..<3 { try await fixture.webhook() }
        try await fixture.make()

        let several = try await watched { try await fixture.make() }

        #expect(several.count == none.count)
    }

    /// The accounts of sessions are in memory too, with the webhooks that they name.
    @Test func theWebhooksThatASessionNamesCostNoStatement() async throws {
        let made = { _ = try await fixture.make(session: "s") }
        try await made()
        let none = try await watched(made)
        let webhook = try await fixture.webhook { $0.session = SessionFilter("none") }
        try await made()

        let narrow = try await watched(made)

        #expect(narrow.count == none.count)
        let naming = SessionSettings(webhookIDs: [webhook.id])
        _ = try await fixture.store.setUpSession(#require(SessionName("t")), naming, now: Fixture.now)
        try await made()
        #expect(try await watched(made).count == none.count)
    }

    /// The deliveries of a webhook to which nothing may be sent are passed by with one look.
    @Test func aDeadWebhookCostsAClaimTheSameHoweverManyWaitForIt() async throws {
        let dead = try await fixture.webhook()
        try await fixture.end()
        let slots = DeliverySlots(free: 4, perWebhook: 4, remaining: [dead.id: 0])
        let few = try await watched {
            _ = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.now)
        }
        try fixture.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO delivery (id, event, webhook, state, next_attempt_at)
            SELECT 'dlv_' || printf('%026d', i), event, webhook, 'pending', next_attempt_at FROM n, delivery
            """
        )
        // After another connection wrote, webhooks and sessions are read again.
        _ = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.now)

        let many = try await watched {
            _ = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.now)
        }

        #expect(few.count == many.count)
        for sql in many where sql.hasPrefix("SELECT webhook, next_attempt_at") {
            let plan = try plan(of: sql)
            #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH delivery USING"), "\(plan)")
            #expect(plan[0].contains("delivery_due (webhook>?)"), "\(plan)")
        }
    }

    private func claimAndCancelOne(of session: String) async throws {
        try await fixture.make(session: session)
        let claimed = try await fixture.claim(free: 9)
        #expect(claimed.map(\.download.request.session?.text) == [session])
        for claim in claimed { try await fixture.done(claim.claim.id, .cancel) }
    }

    private func copy(_ id: DownloadID, times: Int) throws {
        let columns = try fixture.texts(
            "SELECT name FROM pragma_table_info('download') WHERE name NOT IN ('row', 'id')"
        )
        .joined(separator: ", ")
        try fixture.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(times))
            INSERT INTO download (id, \(columns))
            SELECT 'dl_' || printf('%026d', i), \(columns) FROM n, download WHERE download.id = ?
            """,
            [id.text]
        )
    }

    private func everything() async throws {
        let store = fixture.store
        try await store.configureWebhook(Fixture.url(), now: Fixture.now)
        for machine in DownloadStateMachine.allMachines where machine.phase != .verifying {
            let id = try await fixture.download(at: machine, session: "s").id
            _ = try await fixture.command(id, .pause)
        }
        // A session whose oldest are of a full host is walked host by host.
        for index in Int64(0)..<20 { try await fixture.make(host: "full", session: "t", at: Fixture.at(index)) }
        for host in ["b", "c"] { try await fixture.make(host: host, session: "t", at: Fixture.at(30)) }
        for session in ["u", nil] { try await fixture.make(session: session) }
        for limit in [1, 7] {
            let settings = SessionSettings(maxConcurrent: limit)
            _ = try await store.setUpSession(#require(SessionName("s")), settings, now: Fixture.now)
            _ = try await store.setUpSession(#require(SessionName("v\(limit)")), settings, now: Fixture.now)
        }
        _ = try await store.claim(
            Slots(free: 9, perHost: 9, hostRooms: ["full:443": 0]),
            node: Fixture.node,
            now: Fixture.at(40)
        )
        try fixture.execute("UPDATE download SET state = 'paused', paused_at = 0 WHERE authority = 'full:443'")
        let claimed = try await fixture.claimed(session: "s").claim
        _ = try await store.restart(claimed, reason: "changed", isChange: true, now: Fixture.now)
        try await store.flagHostRefusesRanges("a", until: Fixture.now)
        try await store.deferClaims("a", until: Fixture.now)
        _ = try await store.create(
            Fixture.new(with(DownloadRequest(url: Fixture.url())) { $0.dedupeKey = "key" }),
            replay: IdempotentOperation(request: IdempotentRequest(scope: "s", key: "k", fingerprint: [])) {
                (_: [Creation]) in
                StoredResponse(status: 201, location: nil, etag: nil, body: [])
            },
            queueLimit: 100,
            now: Fixture.now
        )
        for download in try await store.downloads(DownloadFilter(states: [.completed]), before: nil, limit: 9) {
            _ = try await (store.hasLostFile(download), store.isFileOfAnother(than: download.id, at: "f"))
        }
        let finished = try await store.finished(after: nil, limit: 1)
        _ = try await store.finished(after: finished.next, limit: 9)
        _ = try await store.deleteFinished(finished.downloads)
        _ = try await store.sweep(isSetBack: true, now: Fixture.now)
        _ = try await store.nextDue()
        _ = try await store.rootsShortOfSpace()
        _ = try await store.releaseSpace(1, now: Fixture.now)
        try await deliverAll()
        _ = try await store.session(#require(SessionName("s")))
        _ = try await store.sessions(after: nil, limit: 5)
        for session in ["s", "u"] {
            let name = try #require(SessionName(session))
            for action in SessionAction.allCases {
                let ids = try await store.downloads(of: name, for: action)
                _ = try await store.act(action, on: ids, keepsPartial: false, timeLimit: .zero, now: Fixture.now)
            }
            _ = try await store.setUpSession(name, SessionSettings(), seals: true, now: Fixture.now)
            _ = try await store.deleteSession(name, expectedRevision: nil, now: Fixture.now)
        }
        try await recover()
        _ = try await store.delete(claimed.id, force: true, expectedRevision: nil, now: Fixture.now)
        try await operate()
        _ = try await store.purge(PurgeAges(finishedDownloads: .zero, failedBytes: .zero), now: Fixture.at(86_400 * 40))
    }

    /// The steps of each action on many downloads.
    private func operate() async throws {
        let store = fixture.store
        for action in BulkAction.allCases {
            let request = BulkRequest(action: action)
            _ = try await store.createOperation(OperationID(at: Fixture.now), request, now: Fixture.now)
            while let batch = try await store.nextBatch(limit: 5) {
                _ = try await store.carryOut(batch, timeLimit: .zero, now: Fixture.now)
            }
        }
    }

    /// What a process records for the next one, and what the next one does with it.
    private func recover() async throws {
        try await fixture.store.recordStop(of: "last", now: Fixture.now)
        try await fixture.store.record(RetentionClock.Doubt(proven: Fixture.now))
        _ = try await fixture.store.recover(after: .all, node: "next", now: Fixture.now)
        try await fixture.store.recoverDeliveries(after: .all, now: Fixture.now)
    }
}
