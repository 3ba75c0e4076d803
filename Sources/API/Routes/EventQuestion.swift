import Model
import Wire

/// What a request asks of the log of events.
struct EventQuestion {
    var filter: EventFilter
    let after: Int64?
    let limit: Int

    /// - Parameter takesSubjects: Whether a session or a download may be named, which the path does where it has one.
    init(_ text: String?, takesSubjects: Bool) throws(Problem) {
        let subjects = takesSubjects ? ["session", "download"] : []
        let query = try Query(text, allowed: ["after", "limit", "types"] + subjects, problem: .invalidFilter)
        after = try query.number("after")
        limit = try query.limit(default: 50, most: 200)
        filter = EventFilter(types: try Self.types(query))
        if let text = query["session"] {
            guard let name = SessionName(text) else { throw query.refusal("session", "It is not a session's name.") }
            filter.session = name
        }
        if let text = query["download"] {
            guard let id = DownloadID(text) else { throw query.refusal("download", "It is not a download's id.") }
            filter.download = id
        }
    }

    private static func types(_ query: Query) throws(Problem) -> Set<EventType>? {
        guard let text = query["types"] else { return nil }
        var types: Set<EventType> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let pattern = EventPattern(String(word)) else {
                throw query.refusal("types", "It is a list of types, such as 'download.completed', or 'download.*'.")
            }
            types.formUnion(pattern.types)
        }
        return types
    }
}
