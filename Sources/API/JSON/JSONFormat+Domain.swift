import Core
import HTTPFields
import Service

extension JSONFormat<Timestamp> {
    static var instant: Self { parsed(Instant.parse, expected: "an instant such as 2026-01-09T03:04:05.000Z") }
}

extension JSONFormat<Deadline> {
    static var deadline: Self { JSONFormat<Timestamp>.instant.map(Deadline.at) }
}

extension JSONFormat<WholeSeconds> {
    static func seconds(upTo most: Int64) -> Self {
        JSONFormat<Int64>.integer(1...most).map(WholeSeconds.init)
    }
}

extension JSONFormat<DownloadURL> {
    /// The URL of a `refresh_url`, or of a receiver of events.
    static func url(_ kind: PlainURL) -> Self { Self(.string) { $0.url(kind) } }
}

extension JSONFormat<[DownloadURL]> {
    /// Additional URLs of the file.
    static var mirrors: Self {
        Self(.array(atMost: DownloadRequest.maximumMirrors)) { reader in
            reader.items(atMost: DownloadRequest.maximumMirrors, "mirrors")?.compactMap { $0.url(.mirror) }
        }
    }
}

extension JSONFormat<SessionName> {
    static var session: Self {
        let expected = "1 to 128 letters, digits, '.', '_', ':' and '-', the first a letter or digit"
        return parsed(SessionName.init, expected: expected)
    }
}

extension JSONFormat<RootName> {
    static var root: Self { parsed({ RootName($0) }, expected: "the name of a root: \(RootName.expectation)") }
}

extension JSONFormat<FileName> {
    static var filename: Self { Self(.string) { $0.parsed(FileName.init(validating:)) } }
}

extension JSONFormat<DirectoryTemplate> {
    static var directory: Self { Self(.string) { $0.parsed(DirectoryTemplate.init(parsing:)) } }
}

extension JSONFormat<Priority> {
    static var priority: Self { JSONFormat<Int>.integer(-100...100).map(Priority.init(clamping:)) }
}

extension JSONFormat<Int64> {
    /// The lowest rate in bytes per second. A lower one cannot be applied evenly: origins close a connection that reads
    /// nothing for long.
    static var leastRate: Int64 { 1024 }

    static var maxBytes: Self { integer(1...JSONValue.maximumInteger) }
    static var rate: Self { integer(leastRate...JSONValue.maximumInteger) }
}

extension JSONFormat<String> {
    /// The `description` of a download, a session or a webhook.
    ///
    /// - Parameter most: The maximum number of characters.
    static func description(atMost most: Int = 1024) -> Self {
        Self(.string) { reader in
            guard let text = reader.string() else { return nil }
            if text.unicodeScalars.count > most { reader.refuse(.tooLong, "Expected at most \(most) characters.") }
            return text
        }
    }

    /// A text without control characters, but for line feeds.
    var withoutControls: Self {
        Self(schema) { [read] reader in
            let text = read(reader)
            if text?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" }) == true
            {
                reader.refuse(.malformed, "Expected no control characters except line feeds.")
            }
            return text
        }
    }

    static var dedupeKey: Self {
        parsed({ isDedupeKey($0) ? $0 : nil }, expected: "1 to 255 visible ASCII characters")
    }

    private static func isDedupeKey(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension JSONFormat<HTTPStatuses> {
    static var statuses: Self {
        let most = HTTPStatuses.range.count
        return Self(.array(atMost: most)) { reader in
            reader.items(atMost: most, "statuses").map { HTTPStatuses($0.compactMap { $0.httpStatus() }) }
        }
    }
}

extension JSONFormat<[WebhookID]> {
    static var webhookIDs: Self {
        let most = 16
        return Self(.array(atMost: most)) { reader in
            guard let items = reader.items(atMost: most, "webhooks") else { return nil }
            var ids: [WebhookID] = []
            for item in items {
                guard let id = item.parsed(WebhookID.init, expected: "the id of a webhook") else { continue }
                if ids.contains(id) { item.refuse(.malformed, "The list has this id twice.") }
                ids.append(id)
            }
            return ids
        }
    }
}

extension ValueReader {
    /// A URL, except the download's own.
    fileprivate func url(_ kind: PlainURL) -> DownloadURL? { located(kind.parse) }

    fileprivate func httpStatus() -> Int? {
        guard case .number = value else {
            refuseType(expected: "a whole number")
            return nil
        }
        let status = value.integer.map { Int(clamping: $0) }
        if let status, HTTPStatuses.range.contains(status) { return status }
        refuse(.outOfRange, "Expected an HTTP status from 400 to 599.")
        return nil
    }

    /// A text whose parser knows the place of the value.
    func located<Value>(_ parse: (String, JSONPointer) throws(Violation) -> Value) -> Value? {
        guard let text = string() else { return nil }
        do throws(Violation) {
            return try parse(text, pointer)
        } catch {
            violations.add(error)
            return nil
        }
    }
}
