import CMicroHTTPD

/// A stream and the connection that reads it. It is the context of libmicrohttpd's callbacks for the response.
final class StreamReader {
    private let stream: ResponseStream
    private let connection: OpaquePointer
    private let suspensions: SuspensionCount

    init(_ stream: ResponseStream, _ connection: OpaquePointer, _ suspensions: SuspensionCount) {
        self.stream = stream
        self.connection = connection
        self.suspensions = suspensions
    }

    deinit { stream.finish() }

    /// Creates a response that reads the stream; the end of the response ends the stream. Returns nil if there is not
    /// enough memory.
    ///
    /// The length is unknown, so libmicrohttpd sends the body in chunks (RFC 9112, section 7.1). For HTTP/1.0, the body
    /// ends with the connection.
    func makeResponse() -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        let response = MHD_create_response_from_callback(
            UInt64.max,
            Self.blockBytes,
            readStream,
            context.toOpaque(),
            releaseStream
        )
        if response == nil { context.release() }
        return response
    }

    /// The block size for HTTP/1.0 clients, in bytes. For others the connection's memory limits the size.
    private static let blockBytes = 2048

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        stream.read(into: buffer, on: connection, suspensions)
    }
}

/// `MHD_ContentReaderCallback`: it returns -1 at the end of the body, and 0 if the connection was suspended.
private func readStream(
    _ context: UnsafeMutableRawPointer?,
    _ position: UInt64,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ room: Int
) -> Int {
    guard let context, let buffer else { return -1 }
    let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
    return reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room)) ?? -1
}

/// `MHD_ContentReaderFreeCallback`.
private func releaseStream(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<StreamReader>.fromOpaque(context).release()
}
