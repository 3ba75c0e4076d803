import CMicroHTTPD
public import HTTPTypes

/// The response of a handler.
///
/// The server adds `Content-Length`, `Transfer-Encoding` and, if missing, `Date`. With the field `Connection: close`
/// the connection ends after this response. The response to a HEAD request may have a body: its fields are sent, its
/// bytes are not.
public struct ServerResponse: Sendable {
    /// The source of the content.
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// `length` bytes of a file from `offset`, sent with sendfile(2). If the file is shorter, the connection is
        /// closed, so that the client notices the truncation.
        case file(OpenFile, offset: Int64, length: Int64)
        /// The pieces of a stream. The source is not called for a HEAD request.
        case stream(ResponseStream)
        /// No bytes, but the length of the content that a 200 would have: for a 304, which may state no other length
        /// (RFC 9110, section 8.6).
        case omitted(length: Int64)
    }

    public var status: HTTPResponse.Status
    public var headerFields: HTTPFields
    public var body: Body

    public init(status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: Body = .empty) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

extension ServerResponse {
    /// Passes the response to libmicrohttpd. `.NO` closes the connection without a response.
    ///
    /// - Parameter suspensions: Counts the connection while a stream suspends it.
    func queue(on connection: OpaquePointer, closing: Bool, _ suspensions: SuspensionCount) -> MHD_Result {
        guard let response = makeResponse(on: connection, suspensions) else { return .NO }
        defer { MHD_destroy_response(response) }
        for field in headerFields where !Self.isFraming(field.name) {
            MHD_add_response_header(response, field.name.rawName, field.value)
        }
        if closing, !headerFields.contains(.connection) { MHD_add_response_header(response, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(status.code), response)
    }

    private func makeResponse(on connection: OpaquePointer, _ suspensions: SuspensionCount) -> OpaquePointer? {
        switch body {
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { bytes in
                // `MUST_COPY` only reads the bytes, although C declares the pointer mutable.
                let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
            }
        case .file(let file, let offset, let length):
            // libmicrohttpd closes the descriptor when the response is destroyed (manual,
            // `MHD_create_response_from_fd_at_offset64`).
            guard offset >= 0, length >= 0, let descriptor = file.take() else { return nil }
            let response = MHD_create_response_from_fd_at_offset64(UInt64(length), descriptor, UInt64(offset))
            if response == nil { _ = OpenFile(owning: descriptor) }
            return response
        case .omitted(let length):
            return MHD_create_response_from_callback(UInt64(max(length, 0)), 1024, readNothing, nil, nil)
        case .stream(let stream):
            return StreamReader(stream, connection, suspensions).makeResponse()
        }
    }

    /// Whether a field delimits the message. The server writes these fields itself.
    static func isFraming(_ name: HTTPField.Name) -> Bool { name == .contentLength || name == .transferEncoding }
}

/// `MHD_ContentReaderCallback` of a response that never has a body; -2 ends a connection that asks for it.
private func readNothing(
    _ context: UnsafeMutableRawPointer?,
    _ position: UInt64,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ room: Int
) -> Int { -2 }
