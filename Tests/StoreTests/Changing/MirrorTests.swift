import Core
import Store
import Testing

@Suite struct MirrorTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func mirrorsAndWhatTheOriginNamedAreKept() async throws {
        var request = DownloadRequest(url: Fixture.url(host: "a.example"))
        request.mirrors = ["http://b.example/f", "http://c.example/f?a=b"]
        request.metalink = .keep
        let id = try await fixture.make(request).id
        var checkpoint = Fixture.checkpoint(10)
        checkpoint.source.url = "http://b.example/f"
        checkpoint.source.mirrors = ["http://d.example/f"]
        checkpoint.source.isMetalink = true
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.checkpoint(claim, checkpoint, now: Fixture.now)

        let download = try await fixture.download(id)
        #expect(download.request.mirrors == request.mirrors)
        #expect(download.request.metalink == .keep)
        #expect(download.source == checkpoint.source)
    }

    @Test(arguments: [("checksum_mismatch", 1), ("etag_changed", 0)])
    func aFileThatIsFetchedAnewBecauseItWasWrongIsCounted(_ reason: String, _ mismatches: Int) async throws {
        let claimed = try await fixture.claimed()
        _ = try await fixture.store.restart(claimed.claim, reason: reason, isChange: false, now: Fixture.now)

        let download = try await fixture.download(claimed.download.id)
        #expect(download.attempts.mismatches == mismatches)
    }
}
