import Core
import StoreSupport
import Testing

@testable import Store

/// The statements of lists and totals.
extension QueryPlanTests {
    @Test(
        arguments: [[], [.queued], [.failed, .waiting]] as [[DownloadState]],
        [nil, "s"]
    )
    func everyFilterOfTheListUsesAnIndex(_ states: [DownloadState], session: String?) async throws {
        let filter = DownloadFilter(states: states, session: session.flatMap { SessionName($0) })
        try await fixture.make(session: "s")
        let statements = try await watched {
            _ = try await fixture.store.downloads(filter, before: nil, limit: 10)
            _ = try await fixture.store.downloads(filter, before: DownloadID(at: Fixture.now), limit: 10)
        }

        try expectOrderedWalks(statements, count: 2)
    }

    /// Each order walks its indexes, whatever the filter: it sorts nothing and reads no row that it does not check.
    @Test(arguments: DownloadOrder.Key.allCases, [true, false])
    func everyOrderIsAWalkOfItsIndexes(_ key: DownloadOrder.Key, isDescending: Bool) async throws {
        try await fixture.make(session: "s")
        let order = DownloadOrder(key, isDescending: isDescending)
        var filter = DownloadFilter()
        filter.text = "x"
        filter.port = 1
        let found = filter
        let statements = try await watched {
            let first = try await fixture.store.page(DownloadFilter(), order, after: nil, limit: 10)
            let last = try #require(first.downloads.last)
            for (number, group) in order.groups.enumerated() {
                let key: DownloadPosition.Key? = group.column.map { $0 == "name_key" ? .text("a") : .number(1) }
                let position = DownloadPosition(group: number, key: key, id: last.id)
                _ = try await fixture.store.page(found, order, after: position, limit: 10)
            }
        }

        try expectOrderedWalks(statements, count: order.groups.count)
    }

    /// A filter that selects few is found by its index, and only what it found is sorted.
    @Test(arguments: ["session", "host", "label", "error", "finished", "ids"])
    func aFilterWithAnIndexFindsItsRowsByIt(_ name: String) async throws {
        var filter = DownloadFilter()
        switch name {
        case "session": filter.session = SessionName("s")
        case "host": filter.host = "a.example"
        case "label": filter.labels = [Label(name: "a", value: "1")]
        case "error": filter.errorCode = .timeout
        case "finished": filter.finished.after = Fixture.now
        default: filter.ids = [DownloadID(at: Fixture.now)]
        }
        let narrow = filter
        let statements = try await watched {
            _ = try await fixture.store.page(narrow, DownloadOrder(.size), after: nil, limit: 10)
            _ = try await fixture.store.count(narrow)
        }

        for sql in statements where Self.isExplainable(sql) {
            let plan = try plan(of: sql)
            let walks = plan.filter { $0.hasPrefix("SCAN download") || $0 == "SCAN d" }
            #expect(walks.isEmpty, "\(plan): \(sql)")
        }
    }

    /// A step of an operation walks an index, whatever the filter: it sorts nothing and reads no row that it does not
    /// check.
    @Test(arguments: ["", "state", "session", "host", "label", "error", "search"])
    func aStepOfAnOperationIsAWalkOfAnIndex(_ name: String) async throws {
        for _ in 0..<3 { try await fixture.make(session: "s") }
        var filter = DownloadFilter()
        switch name {
        case "state": filter.states = [.queued, .failed]
        case "session": filter.session = SessionName("s")
        case "host": filter.host = "a.example"
        case "label": filter.labels = [Label(name: "a", value: "1")]
        case "error": filter.errorCode = .timeout
        case "search": filter.text = "x"
        default: break
        }
        let request = BulkRequest(action: .pause, filter: filter)
        _ = try await fixture.store.createOperation(OperationID(at: Fixture.now), request, now: Fixture.now)
        let statements = try await watched {
            let first = try #require(try await fixture.store.nextBatch(limit: 1))
            _ = try await fixture.store.carryOut(first, timeLimit: .zero, now: Fixture.now)
            _ = try await fixture.store.nextBatch(limit: 1)
        }

        try expectOrderedWalks(statements, count: 1)
    }

    /// Ids, and ends of few downloads, are sorted: they are found by their indexes.
    @Test(arguments: ["ids", "finished"])
    func aStepOfAnOperationFindsFewByTheirIndex(_ name: String) async throws {
        var filter = DownloadFilter()
        if name == "ids" { filter.ids = [try await fixture.make().id] } else { filter.finished.after = Fixture.now }
        let request = BulkRequest(action: .pause, filter: filter)
        _ = try await fixture.store.createOperation(OperationID(at: Fixture.now), request, now: Fixture.now)
        let statements = try await watched { _ = try await fixture.store.nextBatch(limit: 1) }

        for sql in statements where Self.isExplainable(sql) {
            let plan = try plan(of: sql)
            #expect(plan.filter { $0.hasPrefix("SCAN download") || $0 == "SCAN d" }.isEmpty, "\(plan): \(sql)")
        }
    }

    @Test func theDownloadsOfAGroupAreReadWithOneStatement() async throws {
        var filter = DownloadFilter()
        for _ in 0..<3 { filter.ids.append(try await fixture.make(starts: false).id) }
        let request = BulkRequest(action: .cancel, filter: filter)
        _ = try await fixture.store.createOperation(OperationID(at: Fixture.now), request, now: Fixture.now)
        let batch = try #require(try await fixture.store.nextBatch(limit: 10))
        let statements = try await watched {
            _ = try await fixture.store.carryOut(batch, timeLimit: .zero, now: Fixture.now)
        }

        let reads = statements.filter { $0.hasPrefix("SELECT id, session,") && $0.contains("FROM download WHERE id") }
        #expect(reads.count == 1)
        #expect(try fixture.count("download WHERE state = 'cancelled'") == 3)
    }

    private func expectOrderedWalks(_ statements: [String], count: Int) throws {
        let walks = statements.filter { $0.contains("w CROSS JOIN download d") }
        #expect(walks.count >= count)
        for sql in statements where Self.isExplainable(sql) && sql.contains("download") {
            let plan = try plan(of: sql)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan): \(sql)")
            let walks = plan.filter { $0.hasPrefix("SCAN download") && !$0.contains("INDEX") }
            #expect(walks.isEmpty, "\(plan): \(sql)")
        }
    }

    @Test func theTotalsCountNoDownload() async throws {
        let statements = try await watched {
            _ = try await fixture.store.totals()
            _ = try await fixture.store.sessions(after: nil, limit: 10)
            _ = try await fixture.store.count(DownloadFilter(states: [.queued], session: SessionName("s")))
        }

        #expect(!statements.contains { $0.contains("count(*)") && $0.contains("FROM download") })
    }
}
