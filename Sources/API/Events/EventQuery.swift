import Core
import HTTPServer
import HTTPTypes

/// The query parameters of the event log, for pages and streams.
struct EventQuery {
    private static let parameters = [
        "after_seq", "limit", "types", "last_event_id", "snapshot", "view", "max_events", "max_seconds", "ticket",
    ]

    var filter = EventFilter()
    let after: Int64?
    let limit: Int
    private let hasProgress: Bool
    private let hasSegments: Bool
    private let lastEvent: Int64?
    private let hasSnapshot: Bool
    private let maxEvents: Int?
    private let maxSeconds: Int?

    /// - Parameter acceptsSubjects: Whether the query may name a session or a download; false if the path names one.
    init(_ context: RequestContext, acceptsSubjects: Bool) throws(Problem) {
        let query = try Query(
            context.request.query,
            allowed: Self.parameters + (acceptsSubjects ? ["session", "download_id"] : []),
            problem: .invalidFilter
        )
        after = try query.number("after_seq")
        limit = try query.limit(default: 50, most: 200)
        let patterns = try query.eventPatterns("types")
        filter.types = patterns.map { $0.reduce(into: []) { $0.formUnion($1.types) } }
        hasProgress = patterns?.contains(where: \.includesProgress) ?? true
        if let view = query["view"], view != "segments" { throw query.unknown("view", view, of: ["segments"]) }
        hasSegments = query["view"] != nil
        let parameter = try query.number("last_event_id")
        lastEvent = try Self.lastEvent(context) ?? parameter ?? after
        hasSnapshot = try query.flag("snapshot") ?? true
        maxEvents = try query.count("max_events")
        maxSeconds = try query.count("max_seconds")
        if let text = query["session"] {
            guard let name = SessionName(text) else {
                throw query.refusal("session", "Expected the name of a session.")
            }
            filter.session = name
        }
        if let text = query["download_id"] {
            guard let id = DownloadID(text) else {
                throw query.refusal("download_id", "Expected the id of a download.")
            }
            filter.download = id
        }
    }

    /// - Parameters:
    ///   - subject: The download that the stream reports. Its end also ends the stream.
    ///   - caller: The caller whose streams are counted; nil if streams are not counted by caller.
    func stream(of subject: DownloadID?, caller: String?) -> StreamRequest {
        var request = StreamRequest()
        // No stream stays open for more than a day.
        request.maxLife = maxSeconds.map { .seconds(min($0, 86_400)) }
        request.filter = filter
        request.hasProgress = hasProgress
        request.hasSegments = hasSegments
        request.lastEvent = lastEvent
        request.hasSnapshot = hasSnapshot
        request.subject = subject
        request.maxEvents = maxEvents
        request.caller = caller
        if let subject { request.filter.download = subject }
        return request
    }

    /// The `Last-Event-ID` that a browser sends when it reconnects.
    private static func lastEvent(_ context: RequestContext) throws(Problem) -> Int64? {
        guard let text = context.fields[.lastEventID] else { return nil }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else {
            let detail = "Expected the number of an event."
            throw Problem(
                .invalidFilter,
                detail,
                errors: [ProblemError(.header("Last-Event-ID"), code: .malformed, detail: detail)]
            )
        }
        return number
    }
}
