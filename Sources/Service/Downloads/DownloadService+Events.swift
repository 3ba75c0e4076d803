public import Core
import Store

extension DownloadService {
    /// Events of the log, in their order, those after `sequence` if one is given, until their bodies have `bytes`.
    ///
    /// - Returns: No event where some after `sequence` are not kept (``EventWindow/holdsAll(after:)``); there is more
    ///   until ``EventPage/isAtEnd``.
    public func events(
        _ filter: EventFilter,
        after sequence: Int64?,
        limit: Int,
        bytes: Int = .max
    ) async throws(ServiceError) -> EventPage {
        try await mappingStoreErrors { try await store.events(filter, after: sequence, limit: limit, bytes: bytes) }
    }

    /// Which events are kept now.
    public func eventWindow() async throws(ServiceError) -> EventWindow {
        try await mappingStoreErrors { try await store.eventWindow() }
    }

    /// A stream that yields after events were added to the log: a hint, which may fold into the one before it.
    public func additions() -> AsyncStream<Void> { store.notices.stream(of: .events) }

    /// A stream that yields after a download was changed or deleted, as ``additions()`` does. Whoever has it ends it by
    /// its continuation, or by letting go of it.
    public func changes(of id: DownloadID) -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        store.changes(of: id)
    }
}
