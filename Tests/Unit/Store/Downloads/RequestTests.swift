import Core
import Store
import StoreSupport
import Testing

/// The account of the requests that were made for a download.
@Suite struct RequestTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func request(_ number: Int) -> RequestRecord {
        RequestRecord(number: number, run: 1, attempt: 1, at: Fixture.now, method: .get, url: "https://a.example/")
    }

    private func save(_ claim: Claim, _ requests: [RequestRecord]) async throws {
        let checkpoint = Fixture.checkpoint(100)
        try await fixture.store.checkpoint(claim, checkpoint, requests: requests, now: Fixture.now).taken
    }

    private func numbers(_ claim: Claim, before number: Int? = nil, limit: Int = 200) async throws -> [Int]? {
        try await fixture.store.requests(of: claim.id, before: number, limit: limit)?.map(\.number)
    }

    @Test func savedRequestsAreReadBack() async throws {
        let claim = try await fixture.claimed().claim
        var full = request(1)
        full.redirects = 2
        (full.first, full.last) = (5, 9)
        full.response = RequestRecord.Response(
            status: 206,
            httpVersion: "2",
            etag: "\"v1\"",
            lastModified: "Thu, 01 Jan 2026 00:00:00 GMT",
            contentRange: "bytes 5-9/10",
            contentLength: 5,
            remoteAddress: "192.0.2.1"
        )
        full.decision = RequestRecord.Decision(.restart, reason: "etag_changed")
        full.end = RequestRecord.End(
            receivedBytes: 3,
            duration: .milliseconds(1500),
            error: "connection_lost",
            curlCode: 56
        )
        try await save(claim, [full, request(2)])

        #expect(try await fixture.store.requests(of: claim.id, before: nil, limit: 9) == [request(2), full])
    }

    @Test func aRequestSavedAgainReplacesTheOld() async throws {
        let claim = try await fixture.claimed().claim
        try await save(claim, [request(1), request(2)])
        var ended = request(1)
        ended.end = RequestRecord.End(receivedBytes: 1, duration: .zero)
        try await save(claim, [ended])

        #expect(try await fixture.store.requests(of: claim.id, before: nil, limit: 9) == [request(2), ended])
    }

    @Test func theNewestHundredAreKept() async throws {
        let claim = try await fixture.claimed().claim
        try await save(claim, (1...70).map(request))
        try await save(claim, (71...250).map(request))

        #expect(try await numbers(claim) == (151...250).reversed())
        #expect(try await numbers(claim, before: 200, limit: 3) == [199, 198, 197])
        #expect(try fixture.count("request") == 100)
    }

    @Test func theNextClaimCountsOn() async throws {
        let claim = try await fixture.claimed().claim
        try await save(claim, [request(1), request(2)])
        _ = try await fixture.store.recordOutcome(
            claim,
            .interrupted,
            madeProgress: true,
            requests: [request(3)],
            now: Fixture.now
        )

        #expect(try await fixture.claim().context.lastRequest == 3)
    }

    @Test func newRequestsAreRecordedWithARestart() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.restart(
            claim,
            reason: "test",
            isChange: true,
            requests: [request(1)],
            now: Fixture.now
        ).taken

        #expect(try await numbers(claim) == [1])
    }

    @Test func aStaleClaimAddsNone() async throws {
        let claim = try await fixture.claimed().claim
        let stale = Claim(id: claim.id, node: "another", epoch: claim.epoch)
        let result = try await fixture.store.checkpoint(
            stale,
            Fixture.checkpoint(100),
            requests: [request(1)],
            now: Fixture.now
        )

        #expect(result.isLost)
        #expect(try await numbers(claim) == [])
    }

    @Test func theyGoWithTheRecord() async throws {
        let claim = try await fixture.claimed().claim
        try await save(claim, [request(1)])
        _ = try await fixture.store.delete(claim.id, force: true, expectedRevision: nil, now: Fixture.now)

        #expect(try await numbers(claim) == nil)
        #expect(try fixture.count("request") == 0)
    }
}
