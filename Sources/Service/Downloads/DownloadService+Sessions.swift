public import Core
import Store
import Transfer

extension DownloadService {
    /// The result of a `PUT` of a session.
    public enum SessionPutResult: Sendable {
        case made(SessionSummary)
        case replaced(SessionSummary)
        /// The session does not meet the request's preconditions.
        case unexpected
    }

    /// Replaces the settings of a session. Creates the session if it does not exist.
    public func putSession(
        _ name: SessionName,
        _ settings: SessionSettings,
        expecting expectation: SessionExpectation
    ) async throws -> SessionPutResult {
        try validator.checkExpiry(settings.retention?.instant, now: time.now)
        switch try await setUp(name, try checked(settings, before: nil), expectation) {
        case .made: return .made(try await session(name))
        case .changed: return .replaced(try await session(name))
        case .unexpected: return .unexpected
        case .unknownWebhook(let index): throw ServiceError.unknownWebhook(at: index)
        }
    }

    /// Changes the settings of an existing session, or seals it, in one transaction. The patch is applied to the
    /// session read there.
    public func changeSession(
        _ name: SessionName,
        _ patch: SessionPatch
    ) async throws -> SessionSummary {
        let now = time.now
        try validator.checkExpiry(patch.retention.newInstant, now: now)
        let setup = try await store.changeSession(
            name,
            seals: patch.isSealed == true,
            expectedRevision: patch.expectedRevision,
            now: now
        ) { [self] in try settings(of: $0, after: patch) }
        recordRate(setup)
        switch setup {
        case .made, .changed: return try await session(name)
        case .unexpected(let found?): throw ServiceError.revisionMismatch(current: found.revision)
        case .unexpected(nil): throw ServiceError.notFound
        case .unknownWebhook(let index): throw ServiceError.unknownWebhook(at: index)
        }
    }

    private func settings(of session: Session, after patch: SessionPatch) throws(ServiceError) -> SessionSettings {
        let isExpected = (patch.expectedRevision ?? session.revision) == session.revision
        if patch.isSealed == false, session.isSealed, isExpected { throw .sessionSealed(pointer: "/sealed") }
        let settings: SessionSettings
        do { settings = try patch.applied(to: session.settings) } catch { throw .invalid(error.all) }
        return try checked(settings, before: session.settings)
    }

    /// Applies an action to all downloads of a session that allow it.
    ///
    /// Each transaction handles a few hundred downloads. Workers are stopped as for a single download. If the action
    /// ends early, by an error or a crash, only some downloads have changed; a repeated request changes the others.
    public func act(
        _ action: SessionAction,
        onSession name: SessionName,
        keepsPartial: Bool
    ) async throws -> SessionActionResult {
        let ids = try await store.downloads(of: name, for: action)
        var acted = SessionActionResult(action: action, matched: ids.count)
        for start in stride(from: 0, to: ids.count, by: Self.actionStep) {
            let step = Array(ids[start..<min(start + Self.actionStep, ids.count)])
            let now = time.now
            let outcome = try await store.act(
                action,
                on: step,
                keepsPartial: keepsPartial,
                timeLimit: settings.timeLimit,
                now: now
            )
            acted.changed += outcome.results.count
            acted.unchanged += outcome.unchanged
            acted.refused += outcome.refused
            for result in outcome.results { announceDue(result.download) }
            stopWorkers(of: outcome.results)
        }
        return acted
    }

    /// The number of downloads that one transaction handles.
    private static let actionStep = 256

    /// Deletes limits, labels and seal of a session whose downloads have all ended. The downloads are kept.
    public func deleteSession(_ name: SessionName, expectedRevision: Int64?) async throws {
        let now = time.now
        let deletion = try await store.deleteSession(name, expectedRevision: expectedRevision, now: now)
        switch deletion {
        case .deleted: return
        case .notFound: throw ServiceError.notFound
        case .notTerminal(let open): throw ServiceError.sessionNotTerminal(open: open)
        case .revisionMismatch(let session): throw ServiceError.revisionMismatch(current: session.revision)
        }
    }

    /// - Parameter before: The current settings, which were validated earlier; nil for none.
    private func checked(
        _ settings: SessionSettings,
        before: SessionSettings?
    ) throws(ServiceError) -> SessionSettings {
        guard let url = settings.callbackURL, url != before?.callbackURL else { return settings }
        var settings = settings
        if validator.vault.seal(url, hiding: .path) == before?.callbackURL {
            settings.callbackURL = before?.callbackURL
        } else {
            settings.callbackURL = try validator.callbackURL(url)
        }
        return settings
    }

    private func setUp(
        _ name: SessionName,
        _ settings: SessionSettings,
        _ expectation: SessionExpectation
    ) async throws -> SessionSetup {
        let now = time.now
        let setup = try await store.setUpSession(name, settings, expecting: expectation, now: now)
        recordRate(setup)
        return setup
    }

    /// Applies the session's current rate limit to its running downloads.
    private func recordRate(_ setup: SessionSetup) {
        guard case .changed(let session) = setup else { return }
        running.updateRate(of: session.rate)
        engine.setRate(of: session.rate)
    }
}
