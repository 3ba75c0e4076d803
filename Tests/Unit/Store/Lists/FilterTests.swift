import Core
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// Every filter in every order, held against the same filter and order in Swift.
@Suite struct FilterTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static let labels = [#"{"a":"1"}"#, #"{"a":"1","b":"2"}"#, #"{"b":"2"}"#, nil]
    private static let names = ["b.iso", "A.iso", "Straße.txt", nil]

    /// Downloads that differ in all that a list filters or sorts by.
    private func fill(_ count: Int, _ generator: inout SplitMix64) async throws -> [Download] {
        var made: [DownloadID] = []
        for index in 0..<count {
            let host = generator.pick(["a.example", "b.example"])
            var request = DownloadRequest(url: Fixture.url(host: host, path: "/Dir\(index % 3)/f\(index % 4)"))
            request.session = generator.pick([SessionName("s"), SessionName("t"), nil])
            request.labels = generator.pick(Self.labels).map { JSONText(canonical: $0) }
            request.filename = try generator.pick(Self.names).map { try FileName(validating: $0) }
            request.priority = try #require(Priority(generator.pick([-5, 0, 0, 7])))
            let id = try await fixture.make(request, at: Fixture.at(Int64(index))).id
            let time = Fixture.at(Int64(count + index % 5))
            switch generator.pick([0, 1, 2, 3]) {
            case 0: try await fixture.done(id, .pause, at: time)
            case 1: try await fixture.done(id, .cancel, at: time)
            default: break
            }
            let size = generator.pick([10, 20, nil]) as Int64?
            try fixture.execute("UPDATE download SET total_bytes = ? WHERE id = ?", [size, id.text])
            made.append(id)
        }
        return try await made.asyncMap { try await fixture.download($0) }
    }

    private static func filter(_ all: [Download], _ generator: inout SplitMix64) -> DownloadFilter {
        var filter = DownloadFilter()
        if generator.chance(oneIn: 3) {
            filter.states = generator.pick([[.queued], [.paused, .cancelled], [.completed]])
        }
        if generator.chance(oneIn: 3) { filter.session = SessionName("s") }
        if generator.chance(oneIn: 3) {
            let label = Label(name: "a", value: "1")
            filter.labels = generator.pick([[label], [label, Label(name: "b", value: "2")]])
        }
        if generator.chance(oneIn: 4) { filter.host = generator.pick(["a.example", "none.example"]) }
        if generator.chance(oneIn: 6) { filter.port = generator.pick([443, 80]) }
        if generator.chance(oneIn: 4) {
            filter.created = .init(after: Fixture.at(3), before: generator.pick([Fixture.at(20), nil]))
        }
        if generator.chance(oneIn: 4) {
            filter.finished = .init(after: generator.pick([all[0].times.finishedAt, nil]))
        }
        if generator.chance(oneIn: 4) { filter.text = generator.pick(["iso", "dir1", "straße", "example/d", "x"]) }
        if generator.chance(oneIn: 8) { filter.errorCode = .timeout }
        if generator.chance(oneIn: 6) { filter.ids = all.filter { _ in generator.chance(oneIn: 2) }.map(\.id) }
        return filter
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func everyPlanFindsWhatTheFilterSays(_ seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let all = try await fill(40, &generator)
        for _ in 0..<20 {
            let filter = Self.filter(all, &generator)
            let order = DownloadOrder(
                generator.pick(DownloadOrder.Key.allCases),
                isDescending: generator.chance(oneIn: 2)
            )
            let expected = all.filter(filter.selects).sorted(by: order.precedes).map(\.id)

            for examined in [1, 3, 10, 2_000] {
                let found = try await pages(filter, order, examined: examined, limit: generator.pick([1, 7, 50]))
                #expect(found == expected, "\(filter) \(order.word) \(examined)")
            }
            let newest = all.filter(filter.selects).map(\.id).sorted { $0.text > $1.text }
            #expect(try await walked(filter, limit: generator.pick([1, 7, 50])) == newest, "\(filter)")
            for download in all {
                let isSelected = try await fixture.store.download(download.id, selectedBy: filter) != nil
                #expect(isSelected == newest.contains(download.id), "\(filter)")
            }
            let count = try await fixture.store.count(filter)
            if !filter.hasKeptTotals { #expect(count == DownloadCount(total: expected.count, isLowerBound: false)) }
        }
    }

    /// The downloads that the steps of an operation act on.
    private func walked(_ filter: DownloadFilter, limit: Int) async throws -> [DownloadID] {
        var found: [DownloadID] = []
        let request = BulkRequest(action: .delete, filter: filter, isDryRun: true)
        let id = OperationID(at: Fixture.now)
        _ = try await fixture.store.createOperation(id, request, now: Fixture.now)
        while let batch = try await fixture.store.nextBatch(limit: limit) {
            #expect(batch.operation.request.filter == filter)
            found += batch.ids
            _ = try await fixture.store.carryOut(batch, timeLimit: .zero, now: Fixture.now)
        }
        #expect(try await fixture.store.operation(id)?.counts.matched == found.count)
        return found
    }

    /// All pages of a list, one after the other.
    private func pages(
        _ filter: DownloadFilter,
        _ order: DownloadOrder,
        examined: Int,
        limit: Int
    ) async throws -> [DownloadID] {
        var found: [DownloadID] = []
        var position: DownloadPosition?
        repeat {
            let page = try await fixture.store.readers.readSnapshot { [position] database in
                var list = DownloadList(
                    database: database,
                    filter: filter,
                    order: order,
                    readable: RowFilter(without: [])
                )
                list.examined = examined
                return try list.page(after: position, limit: limit)
            }
            #expect(page.downloads.count <= limit)
            found += page.downloads.map(\.id)
            position = page.next
        } while position != nil
        return found
    }

    @Test func aCountThatEndsAtItsLimitIsALowerBound() async throws {
        for index in 0..<6 { try await fixture.make(at: Fixture.at(Int64(index))) }
        var search = DownloadFilter()
        search.text = "example"
        var host = DownloadFilter()
        host.host = Fixture.url().host
        var both = search
        both.host = host.host

        for (filter, expected) in [(search, 4), (host, 5), (both, 4)] {
            let count = try await fixture.store.readers.read { database in
                var list = DownloadList(database: database, filter: filter, readable: RowFilter(without: []))
                (list.counted, list.examined) = (5, 4)
                return try list.count()
            }
            #expect(count == DownloadCount(total: expected, isLowerBound: true))
        }
    }

    /// A row in another order than that of ids takes three times as long.
    @Test(arguments: [(DownloadOrder.Key.createdAt, 6), (.name, 2)])
    func aWalkInAnotherOrderExaminesAThirdOfTheRows(key: DownloadOrder.Key, examined: Int) async throws {
        var ids: [DownloadID] = []
        for index in 0..<7 { ids.append(try await fixture.make(at: Fixture.at(Int64(index))).id) }
        var filter = DownloadFilter()
        filter.text = "nowhere"

        let page = try await fixture.store.readers.read { [filter] database in
            var list = DownloadList(
                database: database,
                filter: filter,
                order: DownloadOrder(key, isDescending: false),
                readable: RowFilter(without: [])
            )
            list.examined = 6
            return try list.page(after: nil, limit: 1)
        }

        #expect(page.downloads.isEmpty)
        #expect(page.next?.id == ids[examined - 1])
    }

    /// A search that finds the query of a URL would tell what a response hides.
    @Test func aSearchDoesNotSeeTheQueryOfAURL() async throws {
        var url = Fixture.url()
        url = url.with(text: url.text + "?token=secret")
        try await fixture.make(DownloadRequest(url: url))
        var filter = DownloadFilter()

        for (text, count) in [("token", 0), ("secret", 0), ("file", 1), ("https://a.example/f", 1)] {
            filter.text = text
            #expect(try await fixture.store.count(filter).total == count, "\(text)")
        }
    }

    /// A name of macOS is decomposed, one that is typed elsewhere is composed; both look the same.
    @Test(arguments: ["Gr\u{FC}\u{DF}e.txt", "Gru\u{308}\u{DF}e.txt"], ["gr\u{FC}\u{DF}", "GRU\u{308}\u{DF}"])
    func aNameIsFoundHoweverItsAccentsAreWritten(_ name: String, _ text: String) async throws {
        var request = DownloadRequest(url: Fixture.url())
        request.filename = try FileName(validating: name)
        try await fixture.make(request)
        var filter = DownloadFilter()

        for text in [text, text.lowercased()] {
            filter.text = text
            #expect(try await fixture.store.count(filter).total == 1)
        }
    }

    @Test func aPositionStaysWhenItsDownloadIsDeleted() async throws {
        for index in 0..<6 { try await fixture.make(at: Fixture.at(Int64(index))) }
        let order = DownloadOrder(.name, isDescending: false)
        let first = try await fixture.store.page(DownloadFilter(), order, after: nil, limit: 3)
        let rest = try await fixture.store.page(DownloadFilter(), order, after: first.next, limit: 3).downloads
        let last = try #require(first.downloads.last)
        _ = try await fixture.store.delete(last.id, force: true, expectedRevision: nil, now: Fixture.now)

        let again = try await fixture.store.page(DownloadFilter(), order, after: first.next, limit: 3).downloads

        #expect(again.map(\.id) == rest.map(\.id))
    }
}

extension DownloadFilter {
    fileprivate func selects(_ download: Download) -> Bool {
        let request = download.request
        let isNamed = text.map { text in
            let url = request.url.text.prefix { $0 != "?" }.lowercased()
            return download.name.lowercased().contains(text) || url.contains(text)
        }
        return (states.isEmpty || states.contains(download.state)) && (session == nil || session == request.session)
            && labels.allSatisfy { request.labels?.labels.contains($0) ?? false }
            && (errorCode == nil || errorCode == download.error?.error.code)
            && (host == nil || host == request.url.host) && (port == nil || port == request.url.port)
            && created.contains(download.times.createdAt) && finished.contains(download.times.finishedAt)
            && isNamed ?? true && (ids.isEmpty || ids.contains(download.id))
    }
}

extension DownloadFilter.TimeRange {
    fileprivate func contains(_ time: Timestamp?) -> Bool {
        guard !isUnlimited else { return true }
        guard let time else { return false }
        return after.map { time > $0 } ?? true && before.map { time < $0 } ?? true
    }
}

extension DownloadOrder {
    /// Downloads without a value come last in both directions.
    fileprivate func precedes(_ left: Download, _ right: Download) -> Bool {
        let (first, second) = (value(left), value(right))
        guard let first, let second else {
            return first == nil && second == nil ? isBefore(Self.id(left), Self.id(right)) : first != nil
        }
        return first == second ? isBefore(Self.id(left), Self.id(right)) : isBefore(first, second)
    }

    private static func id(_ download: Download) -> [UInt8] { Array(download.id.text.utf8) }

    private func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        isDescending ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right)
    }

    /// As bytes that sort as the value does.
    private func value(_ download: Download) -> [UInt8]? {
        switch key {
        case .createdAt: Array(download.id.text.utf8)
        case .finishedAt: download.times.finishedAt.map { Self.bytes($0.milliseconds) }
        case .priority: Self.bytes(Int64(download.request.priority.value))
        case .size: download.progress.totalBytes.map(Self.bytes)
        case .name: Array(download.nameKey.utf8)
        }
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        let shifted = UInt64(bitPattern: number) ^ 1 << 63
        return (0..<8).reversed().map { UInt8(truncatingIfNeeded: shifted >> ($0 * 8)) }
    }
}

extension [DownloadID] {
    fileprivate func asyncMap(_ transform: (DownloadID) async throws -> Download) async throws -> [Download] {
        var downloads: [Download] = []
        for id in self { downloads.append(try await transform(id)) }
        return downloads
    }
}
