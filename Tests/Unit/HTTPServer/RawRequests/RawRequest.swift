import HTTPServer

/// The bytes of a request, and what a client sees.
struct RawRequest: Sendable {
    let name: String
    /// Each piece is sent when the one before it was read.
    let pieces: [[UInt8]]
    /// Words: for each response its status, and for a refusal its code, or `page` if libmicrohttpd answers itself. Then
    /// `open` if the connection answers another request, or `closed`.
    let outcome: String
    /// The versions that answer with a page of their own, with the same status.
    var pages: Set<Library> = []
    var difference: Difference?
    /// What the handler answers to the first request: method, path, query, body and the field `X`.
    var echo: String?
    /// Whether the second piece waits for `100 Continue`.
    var isInvited = false

    func outcome(on library: Library) -> String {
        if let outcome = difference?.outcomes[library] { return outcome }
        guard pages.contains(library) else { return outcome }
        return outcome.split(separator: " ").map { $0.contains("-") ? "page" : $0 }.joined(separator: " ")
    }

    var isHead: Bool { pieces[0].starts(with: "HEAD ".utf8) }
}

extension RawRequest {
    /// Versions of libmicrohttpd whose outcomes differ.
    enum Library: CaseIterable {
        /// 0.9.75, of Debian 12.
        case v0_9
        /// 1.0.1, of Debian 13.
        case v1_0_1
        /// 1.0.10, of the release after it, and later ones.
        case newest

        static let linked = named(MicroHTTPLibrary.versionText)

        static func named(_ version: String) -> Self {
            let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
            if numbers.lexicographicallyPrecedes([1]) { return .v0_9 }
            // 1.0.4 and 1.0.5 read lengths and transfer codings in another way.
            return numbers.lexicographicallyPrecedes([1, 0, 4]) ? .v1_0_1 : .newest
        }
    }

    /// Versions that answer with a page.
    enum Page {
        case v0_9, v1_0_1, newest, since1

        var libraries: Set<Library> {
            switch self {
            case .v0_9: [.v0_9]
            case .v1_0_1: [.v1_0_1]
            case .newest: [.newest]
            case .since1: [.v1_0_1, .newest]
            }
        }
    }

    static let badField = "400 bad-field closed"
    static let badFraming = "400 bad-framing closed"
    static let badHost = "400 bad-host closed"
    static let badTarget = "400 bad-target closed"
    static let badPage = "400 page closed"

    /// - Parameter text: Each character is one byte (Latin-1), so that any byte can be written.
    init(
        _ name: String,
        _ text: String,
        _ outcome: String,
        echo: String? = nil,
        page: Page? = nil,
        differs difference: Difference? = nil
    ) {
        self.init(name, pieces: [text], outcome, echo: echo, page: page, differs: difference)
    }

    init(
        _ name: String,
        pieces: [String],
        _ outcome: String,
        echo: String? = nil,
        page: Page? = nil,
        isInvited: Bool = false,
        differs difference: Difference? = nil
    ) {
        self.name = name
        self.pieces = pieces.map { $0.unicodeScalars.map { UInt8($0.value) } }
        self.outcome = outcome
        self.difference = difference
        self.echo = echo
        self.isInvited = isInvited
        pages = page?.libraries ?? []
    }

    static let groups: [(name: String, requests: [Self])] = [
        ("request lines", requestLines), ("versions", versions), ("methods", methods),
        ("targets", targets + malformedTargets),
        ("fields", fields), ("hosts", hosts + malformedHosts), ("lengths", lengths), ("codings", codings),
        ("chunks", chunkLines),
        ("connections", connections), ("splits", splits), ("incomplete", incomplete),
    ]
}

/// Parts of requests.
extension RawRequest {
    /// A request whose first line is `line`.
    static func line(_ line: String) -> String { "\(line)\r\nHost: a\r\n\r\n" }

    /// A `GET` with these lines behind `Host`, each with its end.
    static func get(_ lines: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n" }

    /// A `GET` with one field more.
    static func field(_ line: String) -> String { get("\(line)\r\n") }

    static func host(_ value: String) -> String { "GET / HTTP/1.1\r\nHost:\(value)\r\n\r\n" }

    static func post(_ fields: String, _ body: String) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
    }

    static func length(_ value: String, _ body: String = "") -> String { post("Content-Length:\(value)", body) }

    static func coding(_ value: String, _ body: String = "0\r\n\r\n") -> String {
        post("Transfer-Encoding:\(value)", body)
    }

    static func chunks(_ body: String) -> String { coding(" chunked", body) }

    static func bytes(_ text: String) -> [String] { text.unicodeScalars.map { String($0) } }

    static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
}
