public import Core
import Store

extension DownloadService {
    /// Events of the log after `sequence`, in order, until the size of their bodies reaches `bytes`.
    ///
    /// - Returns: No events if some after `sequence` were purged (``EventWindow/holdsAll(after:)``). A short page does
    ///   not mean that no more follow: see ``EventPage/isAtEnd``.
    public func events(
        _ filter: EventFilter,
        after sequence: Int64?,
        limit: Int,
        bytes: Int = .max
    ) async throws -> EventPage {
        try await store.events(filter, after: sequence, limit: limit, bytes: bytes)
    }

    /// The range of events in the log.
    public func eventWindow() async throws -> EventWindow {
        try await store.eventWindow()
    }

    /// A stream that yields after events were added to the log. Several additions may yield once.
    public func additions() -> AsyncStream<Void> { store.notices.stream(of: .events) }

    /// A stream that yields after a download was changed or deleted. Several changes may yield once. The stream ends
    /// when its continuation is finished or released.
    public func changes(of id: DownloadID) -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        store.changes(of: id)
    }
}
