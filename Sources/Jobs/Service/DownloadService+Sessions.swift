public import Model
import Store
import Transfers

extension DownloadService {
    /// What a request to make a session, or to replace its settings, came to.
    public enum SessionPut: Sendable {
        case made(SessionSummary)
        case replaced(SessionSummary)
        /// It is not what was expected.
        case unexpected
    }

    /// Gives a session its settings as a whole, making it where there is none.
    public func putSession(
        _ name: SessionName,
        _ settings: SessionSettings,
        expecting expectation: SessionExpectation
    ) async throws(JobError) -> SessionPut {
        switch try await setUp(name, try checked(settings, before: nil), expectation) {
        case .made: return .made(try await session(name))
        case .changed: return .replaced(try await session(name))
        case .unexpected: return .unexpected
        }
    }

    /// Changes the settings of a session that is there.
    ///
    /// - Parameter change: Makes the new settings of the old ones; called again where another change came in between.
    public func changeSession(
        _ name: SessionName,
        expectedRevision: Int64?,
        _ change: @Sendable (SessionSettings) throws(JobError) -> SessionSettings
    ) async throws(JobError) -> SessionSummary {
        for attempt in 1...Self.tries {
            guard let current = try await stored({ try await store.session(name) })?.session else { throw .notFound }
            let revision = expectedRevision ?? current.revision
            let settings = try checked(try change(current.settings), before: current.settings)
            let setup = try await setUp(name, settings, .revision(revision))
            guard case .unexpected(let found) = setup else { return try await session(name) }
            if let found, expectedRevision != nil || attempt == Self.tries {
                throw .revisionMismatch(current: found.revision)
            }
        }
        throw .notFound
    }

    /// - Parameter before: What was agreed to already; nil where nothing was.
    private func checked(
        _ settings: SessionSettings,
        before: SessionSettings?
    ) throws(JobError) -> SessionSettings {
        guard let url = settings.callbackURL, url != before?.callbackURL else { return settings }
        var settings = settings
        settings.callbackURL = try checker.callbackURL(url)
        return settings
    }

    private func setUp(
        _ name: SessionName,
        _ settings: SessionSettings,
        _ expectation: SessionExpectation
    ) async throws(JobError) -> SessionSetup {
        let now = time.now
        let setup = try await stored { try await store.setUpSession(name, settings, expecting: expectation, now: now) }
        if case .changed(let session) = setup {
            live.noteRate(of: session.rate)
            engine.setRate(of: session.rate)
        }
        return setup
    }
}
