import HTTPTypes

/// Collects a request's fields and validates them together: the authority, and the end of the body.
///
/// libmicrohttpd 0.9.75 uses the first of several lengths, accepts a length beside a transfer coding, and accepts a
/// repeated `Host`. Each lets a proxy in front and this server disagree about where the next request begins (RFC 9112
/// sections 3.2, 6.1 and 6.3).
struct RequestFieldValidation {
    private(set) var fields = HTTPFields()
    private var contentLength: String?
    private var transferCoding: String?
    private(set) var authority: String?
    private(set) var host: String?
    private var hasAuthorization = false
    private var fault: Refusal?

    /// White space around a value is not part of it (RFC 9112, section 5.1). It is refused in the body's length and the
    /// authority, because libmicrohttpd does not treat all of it as white space there.
    mutating func add(name: String, value: String) {
        let given = HTTPField.Name(name)
        let isStrict = given.map { ["content-length", "transfer-encoding", "host"].contains($0.canonicalName) } ?? true
        let value = isStrict ? value : value.withoutOuterWhitespace
        guard let name = given, HTTPField.isValidValue(value) else {
            fault = fault ?? Refusal(.badField, "A field has a character that RFC 9110 does not allow.")
            return
        }
        if let repetition = record(name, value) { fault = fault ?? repetition }
        // HTTPTypes keeps the authority apart from the fields.
        if name.canonicalName != "host" { fields.append(HTTPField(name: name, value: value)) }
    }

    /// Records fields that may occur only once; returns an error for a repeated one.
    private mutating func record(_ name: HTTPField.Name, _ value: String) -> Refusal? {
        switch name.canonicalName {
        case "content-length":
            defer { contentLength = value }
            return contentLength == nil ? nil : Refusal(.badFraming, "Content-Length is repeated.")
        case "transfer-encoding":
            defer { transferCoding = value }
            return transferCoding == nil ? nil : Refusal(.badFraming, "Transfer-Encoding is repeated.")
        case "host":
            defer { authority = value }
            return authority == nil ? nil : Refusal(.badHost, "Host is repeated.")
        case "authorization":
            defer { hasAuthorization = true }
            return hasAuthorization ? Refusal(.badField, "Authorization is repeated.") : nil
        default:
            return nil
        }
    }

    /// Whether a body follows, and its length if declared.
    var bodyLength: BodyLength {
        if transferCoding != nil { return .chunked }
        return .declared(contentLength.flatMap { UInt64($0) } ?? 0)
    }

    /// - Parameter isHTTP10: Such a request may have no `Host`, and has no transfer coding (RFC 9112 section 6.1).
    mutating func check(isHTTP10: Bool) throws(Refusal) {
        if let fault { throw fault }
        if let transferCoding {
            guard contentLength == nil else {
                throw Refusal(.badFraming, "The request has both Content-Length and Transfer-Encoding.")
            }
            guard !isHTTP10, transferCoding.equals(ignoringCase: "chunked") else {
                throw Refusal(.badFraming, "The only supported transfer coding is chunked, in HTTP/1.1.")
            }
        }
        if let contentLength, !contentLength.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            throw Refusal(.badFraming, "Content-Length is not a number.")
        }
        guard let authority else {
            if isHTTP10 { return }
            throw Refusal(.badHost, "Host is missing.")
        }
        guard let parsed = Authority(authority) else { throw Refusal(.badHost, "Host is not a host and a port.") }
        host = parsed.host
    }
}

extension String {
    fileprivate var withoutOuterWhitespace: String {
        func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = utf8.firstIndex(where: { !isWhitespace($0) }) else { return "" }
        guard let last = utf8.lastIndex(where: { !isWhitespace($0) }) else { return "" }
        return String(self[first...last])
    }
}

/// Follows the lines of a head through libmicrohttpd's memory.
///
/// libmicrohttpd 0.9.75 cuts a head into strings in place: the colon after a name and both bytes of a line's end become
/// NUL. It joins folded lines at another place, cuts a value at its first NUL and accepts a bare line feed as a line's
/// end, without any report. But each of these leaves another distance between two fields than two bytes (RFC 9112
/// sections 2.2 and 5.2 let a server refuse all three).
struct HeadLayout {
    private static let versionLength = 8
    /// CR and LF.
    private static let lineEndLength = 2

    /// Where the next line must begin; nil once one began elsewhere.
    private var next: UnsafeRawPointer?

    /// - Parameter version: `HTTP/1.1`, which libmicrohttpd accepts in no other length, at the end of the request line.
    init(behind version: UnsafePointer<CChar>) {
        next = UnsafeRawPointer(version) + Self.versionLength + Self.lineEndLength
    }

    /// - Parameters:
    ///   - name: Where it begins; so for `value`.
    ///   - nameLength: Up to the first NUL; so for `valueLength`.
    mutating func add(name: UnsafeRawPointer, _ nameLength: Int, value: UnsafeRawPointer, _ valueLength: Int) {
        // Between a name and its value there is nothing but the colon and white space.
        guard name == next, value > name + nameLength else {
            next = nil
            return
        }
        next = value + valueLength + Self.lineEndLength
    }

    /// Whether the empty line is all that follows.
    func ends(at end: UnsafeRawPointer) -> Bool { next.map { $0 + Self.lineEndLength == end } ?? false }
}

/// The decision on a request by its head.
public enum AdmissionDecision: Sendable {
    /// Answered at once. If a body follows, none of it is read, and the connection is closed.
    case refused(ServerResponse)
    /// Read to its end, then handled. A body above `maxBodyBytes` is refused with 413.
    case admitted(maxBodyBytes: Int, HTTPServer.Handler)
}
