import HTTPTypes

/// Collects the fields of a request and validates the ones that determine the authority and the end of the body.
///
/// libmicrohttpd 0.9.75 uses the first of several lengths, accepts a length together with a transfer coding, and
/// accepts a repeated `Host`; 1.0.1 refuses the second one, and 1.0.10 all three. In each case a proxy and this server
/// could disagree about where the next request begins (RFC 9112, sections 3.2, 6.1 and 6.3).
struct RequestFieldValidation {
    private(set) var fields = HTTPFields()
    private var contentLength: String?
    private var transferCoding: String?
    private(set) var authority: String?
    private(set) var host: String?
    private var hasAuthorization = false
    private var fault: Refusal?

    /// Adds a field. White space around a value is not part of it (RFC 9112, section 5.1). In the fields for the body's
    /// length it is refused, because 0.9.75 takes the space behind a value for a part of it there.
    mutating func add(name: String, value: String) {
        let given = HTTPField.Name(name)
        let trimmed = value.withoutOuterWhitespace
        if Self.isFraming(given), trimmed != value {
            fault = fault ?? Refusal(.badFraming, "The field for the length of the body ends in white space.")
        }
        let value = trimmed
        guard let name = given, HTTPField.isValidValue(value) else {
            fault = fault ?? Refusal(.badField, "A field has a character that RFC 9110 does not allow.")
            return
        }
        if let repetition = record(name, value) { fault = fault ?? repetition }
        // HTTPTypes stores the authority separately from the fields.
        if name.canonicalName != "host" { fields.append(HTTPField(name: name, value: value)) }
    }

    private static func isFraming(_ name: HTTPField.Name?) -> Bool {
        name == .contentLength || name == .transferEncoding
    }

    /// Records a field that may occur only once. Returns an error if it is repeated.
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

    /// How the body ends; a declared length of 0 if the request has no body.
    var bodyLength: BodyLength {
        if transferCoding != nil { return .chunked }
        return .declared(contentLength.flatMap { UInt64($0) } ?? 0)
    }

    /// - Parameter isHTTP10: Whether the request is HTTP/1.0. It may then lack `Host`, and must have no transfer coding
    ///   (RFC 9112, section 6.1).
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
        if let contentLength {
            guard !contentLength.isEmpty, contentLength.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw Refusal(.badFraming, "Content-Length is not a number.")
            }
            guard UInt64(contentLength) != nil else {
                throw Refusal(.contentTooLarge, "Content-Length is not below 2 to the 64th.")
            }
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
        if first == startIndex, utf8.index(after: last) == endIndex { return self }
        return String(self[first...last])
    }
}

/// Checks that the fields of a head follow each other in the memory of libmicrohttpd 0.9.75 without gaps.
///
/// It splits a head into strings in place: the colon after a name and both bytes of a line end become
/// NUL. It also joins folded lines elsewhere in memory, truncates a value at its first NUL, and accepts a bare line
/// feed as a line end, without reporting any of these. Each of the three changes the distance between two fields from
/// the usual two bytes. RFC 9112, sections 2.2 and 5.2, allows a server to refuse all three. Only a NUL before a bare
/// line feed is not found: in memory it equals CR LF, and so the field means the same without it.
struct HeadLayout {
    private static let versionLength = 8
    /// CR and LF.
    private static let lineEndLength = 2

    /// Where the next line must begin; nil after a line began elsewhere.
    private var next: UnsafeRawPointer?

    /// - Parameter version: The version at the end of the request line. libmicrohttpd accepts only versions with the
    ///   length of `HTTP/1.1`.
    init(behind version: UnsafePointer<CChar>) {
        next = UnsafeRawPointer(version) + Self.versionLength + Self.lineEndLength
    }

    /// - Parameters:
    ///   - name: The address of the name. `value` is the address of the value.
    ///   - nameLength: The length up to the first NUL. `valueLength` is the same for the value.
    mutating func add(name: UnsafeRawPointer, _ nameLength: Int, value: UnsafeRawPointer, _ valueLength: Int) {
        // Only the colon and white space may lie between a name and its value.
        guard name == next, value > name + nameLength else {
            next = nil
            return
        }
        next = value + valueLength + Self.lineEndLength
    }

    /// Whether only the empty line follows.
    func ends(at end: UnsafeRawPointer) -> Bool { next.map { $0 + Self.lineEndLength == end } ?? false }
}

/// The decision about a request, based on its head.
public enum AdmissionDecision: Sendable {
    /// The response is sent immediately. If the request has a body, no byte of it is read and the connection is closed.
    case refused(ServerResponse)
    /// The body is received, and the handler is called. A body larger than `maxBodyBytes` is refused with 413.
    case admitted(maxBodyBytes: Int, HTTPServer.Handler)
}
