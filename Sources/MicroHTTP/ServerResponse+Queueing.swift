internal import CMicroHTTPD
internal import HTTPTypes

extension ServerResponse {
    /// Hands the response to libmicrohttpd. `.NO` closes the connection without an answer.
    func queue(on connection: OpaquePointer, closing: Bool) -> MHD_Result {
        guard let response = makeResponse() else { return .NO }
        defer { MHD_destroy_response(response) }
        for field in headerFields where !Self.isOurs(field.name) {
            MHD_add_response_header(response, field.name.rawName, field.value)
        }
        if closing, headerFields[.connection] == nil { MHD_add_response_header(response, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(status.code), response)
    }

    private func makeResponse() -> OpaquePointer? {
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
        }
    }

    /// What tells where the message ends is written by whoever sends it.
    static func isOurs(_ name: HTTPField.Name) -> Bool { name == .contentLength || name == .transferEncoding }
}
