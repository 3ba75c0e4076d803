import CMicroHTTPD

/// A stream with the one connection that reads it: the object behind the callbacks of a response.
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

    /// A response that reads the stream, which ends with it; nil without memory.
    ///
    /// Its length is unknown, so libmicrohttpd sends it in chunks (RFC 9112 section 7.1), or to the end of the
    /// connection for HTTP/1.0.
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

    /// The piece for an HTTP/1.0 client; others get as much as fits the connection's memory.
    private static let blockBytes = 2048

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        stream.read(into: buffer, on: connection, suspensions)
    }
}

/// `MHD_ContentReaderCallback`: -1 ends the body, and 0 is for a connection that was suspended.
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
