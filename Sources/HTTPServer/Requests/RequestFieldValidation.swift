import HTTPTypes

/// Gathers a request's fields and judges what they say together: who is addressed, and where the body ends.
///
/// libmicrohttpd 0.9.75 takes the first of several lengths, takes a length beside a transfer coding, and takes a
/// repeated `Host`. Each lets a proxy in front and this server disagree about where the next request begins
/// (RFC 9112 sections 3.2, 6.1 and 6.3).
struct RequestFieldValidation {
    private(set) var fields = HTTPFields()
    private var contentLength: String?
    private var transferCoding: String?
    private(set) var authority: String?
    private(set) var host: String?
    private var hasAuthorization = false
    private var fault: Refusal?

    /// White space around a value is no part of it (RFC 9112, section 5.1). It is refused where the body's length
    /// or the authority stands, since libmicrohttpd does not take all of it for white space there.
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

    /// Remembers the fields that may come once only; returns the fault of one that came before.
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

    /// Whether a body follows, and its length where that is declared.
    var bodyLength: BodyLength {
        if transferCoding != nil { return .chunked }
        return .declared(contentLength.flatMap { UInt64($0) } ?? 0)
    }

    /// - Parameter isHTTP10: Such a request may come without a `Host`, and knows no transfer coding (RFC 9112 section
    ///   6.1).
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

/// Follows the lines of a head through the memory that libmicrohttpd read it into.
///
/// libmicrohttpd 0.9.75 cuts a head into strings where it lies: the colon behind a name and both bytes of a line's end
/// become NUL. It joins folded lines at another place, cuts a value off at its first NUL and takes a bare line feed for
/// a line's end, and tells nobody. But each of these leaves another distance between two fields than two bytes: the
/// next name stands elsewhere (RFC 9112 sections 2.2 and 5.2 let a server refuse all three).
struct HeadLayout {
    private static let versionLength = 8
    /// CR and LF.
    private static let lineEndLength = 2

    /// Where the next line has to begin; nil once one began elsewhere.
    private var next: UnsafeRawPointer?

    /// - Parameter version: `HTTP/1.1`, which libmicrohttpd takes in no other length, at the end of the request line.
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

/// What becomes of a request, judged by its head.
public enum Verdict: Sendable {
    /// Answered at once. Where a body was to follow, none of it is read, and the connection is closed.
    case refused(ServerResponse)
    /// Read to its end, then handled. A body of more than `maxBodyBytes` is refused with 413.
    case admitted(maxBodyBytes: Int, HTTPServer.Handler)
}
