import Core

/// The members `expires_at` and `keep_file_seconds` of a download and a session.
extension ObjectReader {
    private static let forever = "forever"

    /// Reads both members. A member that is null counts as absent.
    mutating func retention() -> FileRetention? {
        let instant = retentionInstant()
        let period = retentionPeriod()
        refuseBoth()
        return instant ?? period
    }

    /// An absent member keeps its value, null clears it, a value replaces that of the other member too.
    mutating func retentionChanges() -> RetentionChanges {
        var changes = RetentionChanges()
        changes.instant = change("expires_at") { $0.retentionInstant() }
        changes.period = change("keep_file_seconds") { $0.retentionPeriod() }
        refuseBoth()
        return changes
    }

    private mutating func refuseBoth() {
        guard present("expires_at") != nil, present("keep_file_seconds") != nil else { return }
        let detail = "Expected either expires_at or keep_file_seconds. Leave one of them out."
        refuse("keep_file_seconds", .forbidden, detail)
    }

    private mutating func retentionInstant() -> FileRetention? {
        instant("expires_at").map(FileRetention.until)
    }

    private mutating func retentionPeriod() -> FileRetention? {
        guard let reader = present("keep_file_seconds") else { return nil }
        let longest = FileRetention.longest.count
        guard case .string(let text) = reader.value else {
            return reader.integer(in: 0...longest).map { .after(WholeSeconds($0)) }
        }
        if text == Self.forever { return .forever }
        reader.refuse(.malformed, "Expected a number of seconds from 0 (at once) to \(longest), or \"forever\".")
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
