import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// Webhooks that a download or a session names.
@Suite struct NamedWebhookTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// A webhook that receives what names it, and nothing else.
    private func narrow(_ change: (inout WebhookSettings) -> Void = { _ in }) async throws -> Webhook {
        try await fixture.webhook { settings in
            settings.labels = JSONText(canonical: #"{"only":"named"}"#)
            change(&settings)
        }
    }

    private func naming(_ ids: [WebhookID], session: String? = nil) -> DownloadRequest {
        with(DownloadRequest(url: Fixture.url())) {
            $0.session = session.flatMap { SessionName($0) }
            $0.webhookIDs = ids
        }
    }

    private func setUp(_ name: String, naming ids: [WebhookID]) async throws -> SessionSetup {
        let name = try #require(SessionName(name))
        return try await fixture.store.setUpSession(name, SessionSettings(webhookIDs: ids), now: Fixture.now)
    }

    private func types(for webhook: Webhook) throws -> [String] {
        try fixture.texts(
            "SELECT type FROM event JOIN delivery ON delivery.event = seq WHERE webhook = ? ORDER BY seq",
            [webhook.id.text]
        )
    }

    @Test func aNamedWebhookReceivesItsDownloadsEventsWhateverItFilters() async throws {
        let named = try await narrow()
        let session = try await narrow { $0.session = SessionFilter("other") }
        let usual = try await fixture.webhook()
        try await fixture.done(fixture.make(naming([named.id, session.id])).id, .cancel)
        try await fixture.end()

        #expect(try types(for: named) == ["download.cancelled"])
        #expect(try types(for: session) == ["download.cancelled"])
        #expect(try types(for: usual) == ["download.cancelled", "download.cancelled"])
    }

    @Test func anEventComesOnceHoweverOftenItsWebhookIsChosen() async throws {
        let usual = try await fixture.webhook()
        _ = try await setUp("s", naming: [usual.id])
        try await fixture.done(fixture.make(naming([usual.id], session: "s")).id, .cancel)

        #expect(try types(for: usual) == ["download.cancelled", "session.finished"])
    }

    @Test func theTypesOfANamedWebhookHold() async throws {
        let named = try await narrow { $0.eventTypes = [EventPattern("download.created")].compactMap(\.self) }
        try await fixture.done(fixture.make(naming([named.id])).id, .cancel)

        #expect(try types(for: named) == ["download.created"])
    }

    @Test func aSessionsWebhookReceivesItsEventAndThoseOfItsDownloadsOldAndNew() async throws {
        let named = try await narrow()
        let old = try await fixture.make(session: "s")
        _ = try await setUp("s", naming: [named.id])
        try await fixture.done(old.id, .cancel)
        try await fixture.end(session: "s")
        try await fixture.end(session: "other")
        try await fixture.end()

        let finished = ["download.cancelled", "session.finished"]
        #expect(try types(for: named) == finished + finished)
    }

    @Test func aWebhookRemovedFromASessionReceivesNoMoreEvents() async throws {
        let named = try await narrow()
        _ = try await setUp("s", naming: [named.id])
        try await fixture.end(session: "s")
        _ = try await setUp("s", naming: [])
        try await fixture.end(session: "s")

        #expect(try types(for: named) == ["download.cancelled", "session.finished"])
    }

    @Test func aSessionThatNamesWebhooksIsNotSweptAway() async throws {
        let named = try await narrow()
        _ = try await setUp("s", naming: [named.id])

        _ = try await fixture.store.purge(PurgeAges(), now: Fixture.at(86_400 * 400))

        let session = try await fixture.store.session(#require(SessionName("s")))
        #expect(session?.session.settings.webhookIDs == [named.id])
    }

    @Test func aNamedWebhookThatIsDisabledOrDeletedIsPassedOver() async throws {
        let deleted = try await narrow()
        var disabled = try await narrow()
        _ = try await setUp("s", naming: [deleted.id])
        let download = try await fixture.make(naming([deleted.id, disabled.id], session: "s"))
        disabled.disabled = Webhook.Disabling(reason: "requested", at: Fixture.now)
        _ = try await fixture.store.update(disabled, now: Fixture.now)
        _ = try await fixture.store.deleteWebhook(deleted.id, expectedRevision: nil, now: Fixture.now)

        try await fixture.done(download.id, .cancel)

        #expect(try fixture.count("delivery") == 0)
        #expect(try await fixture.store.download(download.id)?.request.webhookIDs == [deleted.id, disabled.id])
    }

    // MARK: - Refused

    @Test func aDownloadThatNamesAnUnknownWebhookIsNotMade() async throws {
        let known = try await fixture.webhook()
        try await fixture.done(
            fixture.make(
                with(DownloadRequest(url: Fixture.url())) {
                    $0.callbackURL = "https://callback.example/"
                }
            ).id,
            .cancel
        )
        let callback = try #require(
            try fixture.texts("SELECT id FROM webhook WHERE created_by = 'callback'").first.flatMap { WebhookID($0) }
        )
        for unknown in [WebhookID(at: Fixture.now), callback] {
            let new = [Fixture.new(naming([])), Fixture.new(naming([known.id, unknown]))]
            let outcome = try await fixture.store.create(new, atomically: true, now: Fixture.now)

            guard case .done(.refused(.unknownWebhook(at: 1), at: 1)) = outcome else {
                throw Unexpected(what: "\(outcome)")
            }
            #expect(try fixture.count("download") == 1)
        }
    }

    @Test func aSessionThatNamesAnUnknownWebhookIsNotMade() async throws {
        let setup = try await setUp("s", naming: [WebhookID(at: Fixture.now)])

        guard case .unknownWebhook(at: 0) = setup else { throw Unexpected(what: "\(setup)") }
        #expect(try fixture.count("session") == 0)
    }

    @Test func aSessionMayKeepTheIDOfAWebhookThatIsGone() async throws {
        let gone = try await fixture.webhook()
        let other = try await fixture.webhook()
        _ = try await setUp("s", naming: [gone.id])
        _ = try await fixture.store.deleteWebhook(gone.id, expectedRevision: nil, now: Fixture.now)

        guard case .changed(let session) = try await setUp("s", naming: [gone.id, other.id]) else {
            throw Unexpected(what: "refused")
        }
        #expect(session.settings.webhookIDs == [gone.id, other.id])
        guard case .unknownWebhook(at: 0) = try await setUp("t", naming: [gone.id]) else {
            throw Unexpected(what: "made")
        }
    }
}
