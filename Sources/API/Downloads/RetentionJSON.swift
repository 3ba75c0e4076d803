import Core

/// The members `expires_at` and `keep_file_seconds` of a download and a session.
extension ObjectReader {
    private static let forever = "forever"

    /// Reads both members. A member that is null counts as absent.
    mutating func retention(_ list: inout ViolationList) -> FileRetention? {
        let instant = retentionInstant(&list)
        let period = retentionPeriod(&list)
        refuseBoth(&list)
        return instant ?? period
    }

    /// An absent member keeps its value, null clears it, a value replaces that of the other member too.
    mutating func retentionChanges(_ list: inout ViolationList) -> RetentionChanges {
        var changes = RetentionChanges()
        changes.instant = change("expires_at") { $0.retentionInstant(&list) }
        changes.period = change("keep_file_seconds") { $0.retentionPeriod(&list) }
        refuseBoth(&list)
        return changes
    }

    private mutating func refuseBoth(_ list: inout ViolationList) {
        guard present("expires_at") != nil, present("keep_file_seconds") != nil else { return }
        let detail = "Expected either expires_at or keep_file_seconds. Leave one of them out."
        list.add(pointer.appending("keep_file_seconds"), .forbidden, detail)
    }

    private mutating func retentionInstant(_ list: inout ViolationList) -> FileRetention? {
        instant("expires_at", &list).map(FileRetention.until)
    }

    private mutating func retentionPeriod(_ list: inout ViolationList) -> FileRetention? {
        guard let value = present("keep_file_seconds") else { return nil }
        let longest = FileRetention.longest.count
        guard case .string(let text) = value else {
            return integer("keep_file_seconds", in: 0...longest, &list).map { .after(WholeSeconds($0)) }
        }
        if text == Self.forever { return .forever }
        let detail = "Expected a number of seconds from 0 (at once) to \(longest), or \"forever\"."
        list.add(pointer.appending("keep_file_seconds"), .malformed, detail)
        return nil
    }
}

extension JSONWriter {
    /// Writes both members. Null means no choice.
    mutating func retention(_ retention: FileRetention?) {
        member("expires_at", retention?.instant)
        name("keep_file_seconds")
        switch retention {
        case .after(let seconds): integer(seconds.count)
        case .forever: string("forever")
        case .until, nil: null()
        }
    }
}
