import Core
import HTTPFields
import HTTPServer
import HTTPTypes
import Service

/// A request with the results of the guards.
struct RequestContext {
    let request: ServerRequest
    /// Identifies the request in logs and problems.
    let requestID: String
    /// The authenticated caller: part of the scope of an idempotency key.
    let caller: String

    /// The caller whose streams are counted; nil without a token, because all local users are then one caller.
    var limitedCaller: String? { caller == AccessGuard.anyone ? nil : caller }

    var fields: HTTPFields { request.headerFields }

    /// The body. Its media type was checked against the route.
    var body: [UInt8] { request.body }

    /// Responds to a GET with 304 if the client has the current representation (RFC 9110, section 13.1.2).
    func unlessKnown(_ etag: String, _ show: () -> ServerResponse) -> ServerResponse {
        var response = show()
        let preconditions = Preconditions(fields)
        guard preconditions.isNotModified(etag) else { return response }
        // The tag and the length are those of the form that the client has.
        let isCompressed = preconditions.hasCompressed(etag)
        if isCompressed { response.compress(for: fields) }
        guard case .bytes(let bytes) = response.body else { return response }
        return ServerResponse(
            status: .notModified,
            headerFields: [.eTag: isCompressed ? ETags.gzipped(etag) : etag, .vary: "Accept-Encoding"],
            body: .omitted(length: Int64(bytes.count))
        )
    }

    /// The client's request id if it is safe to log and send back, otherwise a new one.
    static func requestID(of head: ServerRequest.Head, now: Timestamp) -> String {
        guard let given = head.headerFields[.requestID], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy(isIDByte)
        else { return RequestID.next(at: now).text }
        return given
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension Route.Operation {
    private static let json = "application/json"

    /// The accepted media types of the body; empty if no body is read.
    var bodyTypes: [String] {
        switch body {
        case .none: []
        case .json, .batch: [Self.json]
        case .patch: [RequestContext.acceptPatch]
        }
    }

    /// Refuses a body of the wrong media type, by the request's head.
    ///
    /// - Parameter needsJSON: Whether a POST must be JSON even if no body is read. A page of another site can make a
    ///   browser send any other POST without a preflight (Fetch standard, "CORS-safelisted request-header").
    func checkBodyType(_ head: ServerRequest.Head, needsJSON: Bool) throws(Problem) {
        var types = bodyTypes
        if types.isEmpty, needsJSON, head.method == .post { types = [Self.json] }
        guard !types.isEmpty else { return }
        let essence = head.headerFields[.contentType].flatMap { MediaType($0)?.essence }
        guard let essence, types.contains(essence), head.headerFields[.contentEncoding] == nil else {
            let problem = Problem(
                .unsupportedMediaType,
                "Send the body as \(types.joined(separator: " or ")); with curl, use --json.",
                extras: [.accepted(types)]
            )
            throw head.method == .patch ? problem.with(.acceptPatch, RequestContext.acceptPatch) : problem
        }
    }
}

extension RequestContext {
    private static let longestWait: Int64 = 60

    /// The preferred wait in seconds (RFC 7240, section 4.3), at most a minute; nil without a valid preference.
    var preferredWait: Int64? {
        for preference in preferences {
            let parts = preference.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.count == 2, parts[0].lowercasedASCII == "wait" else { continue }
            // Only the first occurrence counts (RFC 7240, section 2).
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return min(Int64(parts[1]) ?? Self.longestWait, Self.longestWait)
        }
        return nil
    }

    static let respondAsync = "respond-async"

    /// Whether the client prefers a response before the work is done (RFC 7240, section 4.1).
    var prefersAsync: Bool {
        preferences.contains { $0.filter { $0 != " " && $0 != "\t" }.lowercasedASCII == Self.respondAsync }
    }

    private var preferences: [Substring] { (fields[.prefer] ?? "").split { $0 == "," || $0 == ";" } }
}

/// The media types that a client accepts (RFC 9110, section 12.5.1).
struct Accept {
    private let ranges: [(type: String, weight: Double)]

    /// - Parameter field: The value of `Accept`. If it is nil or empty, any type is accepted.
    init(_ field: String?) {
        ranges = (field ?? "").split(separator: ",").compactMap { part in
            let words = part.filter { $0 != " " && $0 != "\t" }.lowercasedASCII.split(separator: ";")
            guard let type = words.first else { return nil }
            // An invalid weight is ignored.
            let weight = words.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (String(type), weight)
        }
    }

    /// Whether the client names `type`, and does not prefer `other`.
    func prefers(_ type: String, to other: String) -> Bool {
        guard let weight = weight(of: type), weight > 0 else { return false }
        let family = "\(other.prefix { $0 != "/" })/*"
        return ranges.allSatisfy { $0.type != other && $0.type != family || $0.weight < weight }
    }

    /// The weight of a type or coding; nil if the client does not name it.
    func weight(of name: String) -> Double? { ranges.filter { $0.type == name }.map(\.weight).max() }

    /// Whether the client accepts `type`. The most specific range that contains it decides.
    func allows(_ type: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let family = "\(type.prefix { $0 != "/" })/*"
        for candidate in [type, family, "*/*"] {
            if let weight = weight(of: candidate) { return weight > 0 }
        }
        return false
    }
}
