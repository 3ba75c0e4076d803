public import Model
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
    ) async throws(JobError) -> EventPage {
        try await stored { try await store.events(filter, after: sequence, limit: limit, bytes: bytes) }
    }

    /// Which events are kept now.
    public func eventWindow() async throws(JobError) -> EventWindow {
        try await stored { try await store.eventWindow() }
    }
}
