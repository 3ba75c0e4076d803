import Model
import Store
import Testing

/// Another link in place of one that was refused.
@Suite struct LinkTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static let refusal = DownloadError(httpStatus: 403)

    private static func edit(_ host: String) -> DownloadEdit {
        var edit = DownloadEdit()
        edit.url = Fixture.url(host: host)
        return edit
    }

    @Test func itIsRecordedWithTheEndOfTheAttemptAndFollowedAtOnce() async throws {
        let claimed = try await fixture.claimed()
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(10), now: Fixture.now)
        let settled = try await fixture.store.settle(
            claimed.claim,
            .relinked(Self.edit("b.example"), Self.refusal),
            madeProgress: true,
            now: Fixture.now
        )
        guard case .done(let download) = settled else { throw Unexpected(what: "\(settled)") }

        #expect(download.state == .queued && download.request.url.host == "b.example")
        #expect(download.progress.durableBytes == 10 && download.generation == 1)
        #expect(download.error?.error == Self.refusal && download.error?.isRetried == true)
        #expect(download.attempts.withoutProgress == 0 && download.attempts.newLinks == 1)
        #expect(download.revision > claimed.download.revision)
        #expect(try await fixture.claim().download.request.url.host == "b.example")
    }

    @Test func linksAreCountedUntilAByteComesOrAClientChangesThem() async throws {
        let id = try await fixture.make().id
        for count in 1...3 {
            let claim = try await fixture.claim().claim
            _ = try await fixture.store.settle(
                claim,
                .relinked(Self.edit("h\(count)"), Self.refusal),
                madeProgress: false,
                now: Fixture.now
            )
            #expect(try await fixture.download(id).attempts.newLinks == count)
        }
        _ = try await fixture.command(id, nil, Self.edit("c.example"))
        #expect(try await fixture.download(id).attempts.newLinks == 0)

        let claim = try await fixture.claim().claim
        _ = try await fixture.store.settle(
            claim,
            .relinked(Self.edit("d"), Self.refusal),
            madeProgress: false,
            now: Fixture.now
        )
        let next = try await fixture.claim().claim
        _ = try await fixture.store.checkpoint(next, Fixture.checkpoint(10), now: Fixture.now)
        #expect(try await fixture.download(id).attempts.newLinks == 0)
    }

    @Test func whoeverTookTheDownloadAwayKeepsItsLink() async throws {
        let claimed = try await fixture.claimed()
        _ = try await fixture.command(claimed.download.id, .pause)
        let settled = try await fixture.store.settle(
            claimed.claim,
            .relinked(Self.edit("b"), Self.refusal),
            madeProgress: false,
            now: Fixture.now
        )

        guard case .lost = settled else { throw Unexpected(what: "\(settled)") }
        #expect(try await fixture.download(claimed.download.id).request.url == claimed.download.request.url)
    }
}
