import Core

extension DownloadFilter {
    /// The parameters that are conditions.
    static let parameters = [
        "state", "session", "label", "host", "error_code", "created_after", "created_before", "finished_after",
        "finished_before", "q", "id",
    ]
    /// Each must hold.
    static let repeatable = ["label"]

    private static let maximumIDs = 100
    private static let maximumLabels = 8
    private static let maximumTextLength = 256

    init(_ query: Query) throws(Problem) {
        self.init(states: try Self.states(query), session: try Self.session(query))
        labels = try Self.labels(query)
        if let text = query["host"] { (host, port) = try Self.authority(text, query) }
        if let word = query["error_code"] {
            guard let code = DownloadError.Code(rawValue: word) else {
                throw query.unknown("error_code", word, of: DownloadError.Code.allCases.map(\.rawValue))
            }
            errorCode = code
        }
        created = TimeRange(after: try query.instant("created_after"), before: try query.instant("created_before"))
        finished = TimeRange(after: try query.instant("finished_after"), before: try query.instant("finished_before"))
        text = try Self.text(query)
        ids = try Self.ids(query)
    }

    private static func states(_ query: Query) throws(Problem) -> [DownloadState] {
        var states: [DownloadState] = []
        for word in query.list("state") ?? [] {
            guard let state = DownloadState(rawValue: word) else {
                throw query.unknown("state", word, of: DownloadState.allCases.map(\.rawValue))
            }
            guard !states.contains(state) else { throw query.refusal("state", "A state occurs twice.") }
            states.append(state)
        }
        return states
    }

    private static func session(_ query: Query) throws(Problem) -> SessionName? {
        guard let text = query["session"] else { return nil }
        guard let name = SessionName(text) else {
            throw query.refusal("session", "Expected the name of a session.")
        }
        return name
    }

    private static func labels(_ query: Query) throws(Problem) -> [Label] {
        var labels: [Label] = []
        for text in query.all("label") {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw query.refusal("label", "Expected a name, a colon and a value, such as 'env:prod'.")
            }
            let label = Label(name: canonical(parts[0]), value: canonical(parts[1]))
            guard !labels.contains(label) else { throw query.refusal("label", "A label occurs twice.") }
            labels.append(label)
        }
        guard labels.count <= maximumLabels else {
            throw query.refusal("label", "Expected at most \(maximumLabels) labels.", .tooMany)
        }
        return labels
    }

    /// As canonical JSON spells it between its quotation marks.
    private static func canonical(_ text: Substring) -> String {
        String(JSONValue.string(String(text)).canonical.dropFirst().dropLast())
    }

    /// A host, with or without a port: `example.com`, `example.com:8443`, `[2001:db8::1]:443`.
    private static func authority(_ text: String, _ query: Query) throws(Problem) -> (host: String, port: UInt16?) {
        var (host, port): (String, UInt16?) = (text, nil)
        let bracket = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].firstIndex(of: ":") {
            host = String(text[..<colon])
            port = UInt16(text[text.index(after: colon)...])
            guard let port, port > 0 else { throw query.refusal("host", "Expected a port from 1 to 65535.") }
        }
        guard !host.isEmpty, !host.contains(where: { "/@?# ".contains($0) }) else {
            throw query.refusal("host", "Expected a host, such as 'example.com' or 'example.com:8443'.")
        }
        return (host.lowercased(), port)
    }

    private static func text(_ query: Query) throws(Problem) -> String? {
        guard let text = query["q"] else { return nil }
        guard (1...maximumTextLength).contains(text.unicodeScalars.count) else {
            throw query.refusal("q", "Expected 1 to \(maximumTextLength) characters.")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw query.refusal("q", "Expected no control characters.")
        }
        return text.lowercased()
    }

    private static func ids(_ query: Query) throws(Problem) -> [DownloadID] {
        guard let words = query.list("id") else { return [] }
        guard words.count <= maximumIDs else {
            throw query.refusal("id", "Expected at most \(maximumIDs) ids, found \(words.count).", .tooMany)
        }
        var ids: [DownloadID] = []
        for word in words {
            guard let id = DownloadID(word) else {
                throw query.refusal("id", "Expected ids of downloads, separated by commas.")
            }
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }
}

extension DownloadOrder {
    init(_ query: Query) throws(Problem) {
        guard let word = query["sort"] else {
            self.init()
            return
        }
        guard let order = DownloadOrder(word) else {
            throw query.unknown("sort", word, of: Key.allCases.flatMap { [$0.rawValue, "-\($0.rawValue)"] })
        }
        self = order
    }
}

extension DownloadPosition {
    /// As a cursor holds it.
    var text: String {
        let key =
            switch key {
            case nil: ""
            case .number(let number): " n\(number)"
            case .text(let text): " t\(text)"
            }
        return "\(group) \(id.text)\(key)"
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let group = Int(parts[0]), let id = DownloadID(String(parts[1])) else { return nil }
        guard parts.count == 3 else {
            self.init(group: group, id: id)
            return
        }
        switch parts[2].first {
        case "n":
            guard let number = Int64(parts[2].dropFirst()) else { return nil }
            self.init(group: group, key: .number(number), id: id)
        case "t": self.init(group: group, key: .text(String(parts[2].dropFirst())), id: id)
        default: return nil
        }
    }
}
