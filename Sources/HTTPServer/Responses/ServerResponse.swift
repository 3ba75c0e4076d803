import CMicroHTTPD
public import HTTPTypes

/// A handler's response.
///
/// The server writes `Content-Length`, `Transfer-Encoding` and, unless given, `Date`. `Connection: close` ends the
/// connection after this response. A response to HEAD may have its body: the fields are sent, the bytes are not.
public struct ServerResponse: Sendable {
    /// Where the content comes from.
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// `length` bytes of a file from `offset`, sent by `sendfile(2)`. A file that turns out shorter ends the
        /// connection, so that the client cannot mistake the part for the whole.
        case file(OpenFile, offset: Int64, length: Int64)
        /// The pieces of a source. It is not asked in a response to HEAD.
        case stream(ResponseStream)
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
    /// - Parameter suspensions: Counts a stream while it waits.
    func queue(on connection: OpaquePointer, closing: Bool, _ suspensions: SuspensionCount) -> MHD_Result {
        guard let response = makeResponse(on: connection, suspensions) else { return .NO }
        defer { MHD_destroy_response(response) }
        for field in headerFields where !Self.isFraming(field.name) {
            MHD_add_response_header(response, field.name.rawName, field.value)
        }
        if closing, headerFields[.connection] == nil { MHD_add_response_header(response, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(status.code), response)
    }

    private func makeResponse(on connection: OpaquePointer, _ suspensions: SuspensionCount) -> OpaquePointer? {
        switch body {
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { bytes in
                // MUST_COPY only reads through the pointer, which C declares mutable.
                let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
            }
        case .file(let file, let offset, let length):
            // "fd will be closed when response is destroyed" (manual, MHD_create_response_from_fd_at_offset64).
            guard offset >= 0, length >= 0, let descriptor = file.take() else { return nil }
            let response = MHD_create_response_from_fd_at_offset64(UInt64(length), descriptor, UInt64(offset))
            if response == nil { _ = OpenFile(owning: descriptor) }
            return response
        case .stream(let stream):
            return StreamReader(stream, connection, suspensions).makeResponse()
        }
    }

    /// The sender writes the fields that delimit the message.
    static func isFraming(_ name: HTTPField.Name) -> Bool { name == .contentLength || name == .transferEncoding }
}
