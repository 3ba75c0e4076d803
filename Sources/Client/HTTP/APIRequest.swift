import Curl

/// A request to the service. The methods of ``CormorantClient`` make it; make one for what they do not offer.
public struct APIRequest: Hashable, Sendable {
    /// A name and its value: a query parameter or a header field.
    public struct Pair: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// An HTTP method, such as `PATCH`.
    public var method: String
    /// The path below the root of the service, percent-encoded. See ``path(_:)``.
    public var path: String
    public var query: [Pair] = []
    public var fields: [Pair] = []
    /// JSON in UTF-8; nil for none.
    public var body: [UInt8]?
    /// What the service answers if it accepts the request.
    var answer = Answer.json
    /// How long the service may wait before it answers, on top of the timeout of the client.
    public var serverWait = Duration.zero

    public init(_ method: String, _ path: String, query: [Pair] = []) {
        self.method = method
        self.path = path
        self.query = query
    }

    /// A path of segments, each percent-encoded.
    public static func path(_ segments: String...) -> String { segments.map { "/" + $0.percentEncoded }.joined() }

    /// Adds a parameter if it has a value.
    public mutating func addQuery(_ name: String, _ value: String?) {
        if let value { query.append(Pair(name, value)) }
    }

    /// The request target: path and query.
    var target: String {
        guard !query.isEmpty else { return path }
        let pairs = query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        return path + "?" + pairs.joined(separator: "&")
    }
}

extension APIRequest {
    /// The form of an answer. Something else with a status below 400 comes from another server, such as the sign-in
    /// page of a proxy.
    enum Answer: Hashable, Sendable {
        /// JSON, or nothing with a 204.
        case json
        /// Events, or nothing with a 204.
        case eventStream
        /// The file of a download. Its media type is the origin's, so its ETag identifies it.
        case file(of: String)

        func isIn(_ head: ResponseHead) -> Bool {
            switch (self, head.status) {
            case (.json, 204), (.eventStream, 204): true
            case (.json, 200...299): head.hasType("application/json")
            case (.eventStream, 200): head.hasType("text/event-stream")
            case (.file(let id), 200), (.file(let id), 206): head.single("ETag")?.hasPrefix("\"\(id).") ?? false
            default: false
            }
        }
    }
}

extension ResponseHead {
    fileprivate func hasType(_ type: String) -> Bool {
        let essence = single("Content-Type")?.split(separator: ";").first?.lowercased()
        return essence.map { $0.filter { $0 != " " } } == type
    }
}

/// An answer of the service with a status below 400.
public struct APIResponse: Sendable {
    public let status: Int
    public let fields: [APIRequest.Pair]
    public let body: [UInt8]

    /// The value of the first header field with the name, in upper or lower case.
    public func value(of name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension String {
    /// All bytes but the unreserved characters (RFC 3986, section 2.3) are escaped.
    var percentEncoded: String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes += [byte >> 4, byte & 15].map { hexDigits[Int($0)] }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

private let hexDigits = Array("0123456789ABCDEF".utf8)
