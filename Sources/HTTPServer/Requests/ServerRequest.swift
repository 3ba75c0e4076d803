import CMicroHTTPD
public import HTTPTypes

extension ServerRequest.Head {
    /// Reads and validates the head that libmicrohttpd has parsed.
    ///
    /// libmicrohttpd's URL is not used, because it is percent-decoded and truncated at an encoded NUL.
    static func read(
        _ call: AccessCall,
        of exchange: Exchange,
        maxTargetBytes: Int
    ) throws(Refusal) -> (head: Self, length: BodyLength) {
        let hasLayout = !MicroHTTPLibrary.parsesStrictly
        guard !hasLayout || call.targetLength(from: exchange.targetAddress) == exchange.target.count else {
            throw Refusal(.badTarget, "The request target has a NUL.")
        }
        guard exchange.target.count <= maxTargetBytes else {
            throw Refusal(.targetTooLong, "The request target is longer than \(maxTargetBytes) bytes.")
        }
        let name = call.methodName
        guard
            !hasLayout || call.methodLength(to: exchange.targetAddress) == name.utf8.count,
            let method = HTTPRequest.Method(name)
        else { throw Refusal(.badMethod, "The method is not a token (RFC 9110, section 5.6.2).") }
        var reading = HeadReading(layout: hasLayout ? HeadLayout(behind: call.version) : nil)
        withUnsafeMutablePointer(to: &reading) {
            _ = MHD_get_connection_values_n(call.connection, .HEADER_KIND, addField, $0)
        }
        if let layout = reading.layout, !layout.ends(at: call.headEnd) {
            throw Refusal(.badField, "A line of the head is folded, has a NUL or ends in a bare line feed.")
        }
        var audit = reading.audit
        try audit.check(isHTTP10: call.isHTTP10)
        guard method != .connect else { throw Refusal(.notImplemented, "This server is not a proxy.") }
        let target = try RequestTarget(
            raw: exchange.target,
            authority: audit.authority,
            isOptions: method == .options
        )
        let head = Self(
            method: method,
            target: String(decoding: exchange.target, as: UTF8.self),
            path: target.path,
            query: target.query,
            authority: audit.authority,
            host: audit.host,
            isHTTP10: call.isHTTP10,
            headerFields: audit.fields,
            remoteAddress: exchange.connection.remoteAddress
        )
        return (head, audit.bodyLength)
    }
}

/// The results of one iteration over the fields.
private struct HeadReading {
    var audit = RequestFieldValidation()
    /// `nil` if libmicrohttpd refuses itself what a layout would show.
    var layout: HeadLayout?
}

/// `MHD_KeyValueIteratorN`: the context is the `HeadReading` of the iterating call.
private func addField(
    _ context: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameLength: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueLength: Int
) -> MHD_Result {
    guard let reading = context?.assumingMemoryBound(to: HeadReading.self), let name, let value else { return .NO }
    reading.pointee.layout?.add(name: UnsafeRawPointer(name), nameLength, value: UnsafeRawPointer(value), valueLength)
    reading.pointee.audit.add(name: string(name, nameLength), value: string(value, valueLength))
    return .YES
}

private func string(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}

/// A complete and validated request.
public struct ServerRequest: Sendable {
    /// The request line and the fields.
    public struct Head: Sendable {
        public let method: HTTPRequest.Method
        /// The raw request target, still percent-encoded.
        public let target: String
        /// The path of the target, percent-encoded and without dot segments; `*` for `OPTIONS *`.
        public let path: String
        /// The target after `?`, percent-encoded; `nil` if it has no `?`.
        public let query: String?
        /// The value of `Host`; an HTTP/1.0 request may have none.
        public let authority: String?
        /// The host of ``authority`` in lower case. An IPv6 address has no brackets.
        public let host: String?
        /// Whether the request's version is HTTP/1.0.
        public let isHTTP10: Bool
        public let headerFields: HTTPFields
        /// The IP address of the client, or of the last proxy, without the port.
        public let remoteAddress: String
    }

    public let head: Head
    /// The body without its transfer coding; empty if there is none.
    public let body: [UInt8]

    public var method: HTTPRequest.Method { head.method }
    public var target: String { head.target }
    public var path: String { head.path }
    public var query: String? { head.query }
    public var authority: String? { head.authority }
    public var headerFields: HTTPFields { head.headerFields }
    public var remoteAddress: String { head.remoteAddress }
}
