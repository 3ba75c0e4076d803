import CNGHTTP2

/// One connection to an ``Origin`` that speaks HTTP/2 (RFC 9113), served by one thread until it ends.
///
/// Of a ``Behaviour`` count the answer, its validators, fields and framing, the places where it is cut or a stream is
/// reset, and ``Behaviour/responsesTogether``. It keeps no pace: that would hold up the other streams.
final class HTTP2Connection {
    private let stream: OriginStream
    private let origin: Origin
    private var session: OpaquePointer?
    private var incoming: [Int32: IncomingRequest] = [:]
    private var pending: [(stream: Int32, ready: ReadyResponse)] = []
    private var bodies: [Int32: HTTP2Body] = [:]
    /// How the connection ends once all is sent that can be; nil while it goes on.
    private var close: Behaviour.Close?

    private struct IncomingRequest {
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []
    }

    private struct ReadyResponse {
        let plan: ResponsePlan
        let behaviour: Behaviour
    }

    init(stream: OriginStream, origin: Origin) {
        self.stream = stream
        self.origin = origin
    }

    deinit { nghttp2_session_del(session) }

    func run() {
        guard begin() else { return }
        while send(), close == nil {
            let bytes = stream.read()
            guard !bytes.isEmpty, nghttp2_session_mem_recv(session, bytes, bytes.count) >= 0 else { return }
        }
        if close == .reset { stream.socket.resetOnClose() }
    }

    private func begin() -> Bool {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        nghttp2_session_callbacks_set_on_header_callback(callbacks, receiveField)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, receiveData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, receiveFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, forgetStream)
        // The thread that runs this holds it for as long as the session is used.
        let context = Unmanaged.passUnretained(self).toOpaque()
        nghttp2_session_server_new(&session, callbacks, context)
        return nghttp2_submit_settings(session, 0, nil, 0) == 0
    }

    /// Sends all that can be sent.
    ///
    /// - Returns: False once the peer has gone.
    private func send() -> Bool {
        while true {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count >= 0 else { return false }
            if count > 0 {
                guard stream.write(Array(UnsafeBufferPointer(start: bytes, count: count))) else { return false }
            } else if !resetNextStream() {
                return true
            }
        }
    }

    /// A stream whose body has come to the place of its reset.
    private func resetNextStream() -> Bool {
        guard let (number, code) = bodies.lazy.compactMap({ id, body in body.dueReset.map { (id, $0) } }).first else {
            return false
        }
        bodies[number] = nil
        return nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, code) == 0
    }

    // MARK: - Requests

    fileprivate func receive(_ name: String, _ value: String, of number: Int32) {
        incoming[number, default: IncomingRequest()].fields.append((name, value))
    }

    fileprivate func receive(_ bytes: UnsafeBufferPointer<UInt8>, of number: Int32) {
        incoming[number, default: IncomingRequest()].body += bytes
    }

    fileprivate func endRequest(_ number: Int32) {
        guard let request = incoming.removeValue(forKey: number) else { return }
        func value(_ name: String) -> String { request.fields.first { $0.name == name }?.value ?? "" }
        let lines = request.fields.filter { !$0.name.hasPrefix(":") }.map { "\($0.name): \($0.value)" }
        let recorded = RecordedRequest(
            method: value(":method"),
            target: value(":path"),
            isHTTP2: true,
            fieldLines: ["host: \(value(":authority"))"] + lines,
            body: request.body
        )
        let (behaviour, content, order) = origin.record(recorded)
        if case .closedAtOnce(let close) = behaviour.ending {
            self.close = close
            return
        }
        pending.append(
            (
                number,
                ReadyResponse(plan: ResponsePlan(behaviour, recorded, content, number: order), behaviour: behaviour)
            )
        )
        guard pending.count >= behaviour.responsesTogether else { return }
        for (number, ready) in pending { respond(number, ready) }
        pending = []
    }

    private func respond(_ number: Int32, _ ready: ReadyResponse) {
        switch ready.behaviour.http2Fault {
        case .goAway(let code):
            // The last stream that is said to be served is the one before.
            nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), max(number - 2, 0), code, nil, 0)
            close = .fin
            return
        case .reset(let code, let limit) where limit < 0:
            nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, code)
            return
        case .reset, nil: break
        }
        let body = HTTP2Body(ready.plan.body, ready.behaviour)
        bodies[number] = body
        let fields = [(":status", "\(ready.plan.status)"), ("date", Origin.date)] + headFields(ready)
        var provider = nghttp2_data_provider()
        provider.read_callback = sendData
        HTTP2Field.withAll(fields) { fields in
            _ = nghttp2_submit_response(session, number, fields.baseAddress, fields.count, &provider)
        }
    }

    private func headFields(_ ready: ReadyResponse) -> [(String, String)] {
        let length = ready.plan.body.byteCount
        let framing: [String] =
            switch ready.behaviour.framing {
            case .contentLength: ["Content-Length: \(length)"]
            case .wrongContentLength(let difference): ["Content-Length: \(length + difference)"]
            case .chunked, .closeDelimited: []
            }
        return (ready.plan.fields + framing).compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    // MARK: - Bodies

    fileprivate func forget(_ number: Int32) {
        incoming[number] = nil
        guard let body = bodies.removeValue(forKey: number) else { return }
        if body.isWhole { origin.responses.fire() }
    }

    /// - Returns: The bytes that fit; nil where nothing is to come any more, not even the stream's end.
    fileprivate func data(of number: Int32, atMost limit: Int) -> (bytes: [UInt8], isLast: Bool)? {
        guard let piece = bodies[number]?.next(atMost: limit) else {
            if let close = bodies[number]?.dueClose { self.close = close }
            return nil
        }
        return (piece, bodies[number]?.isWhole ?? true)
    }
}

/// `nghttp2_on_header_callback`.
private func receiveField(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?,
    _ valueLength: Int,
    _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let connection = HTTP2Connection.of(context) else { return 0 }
    let name = String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
    let value = String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
    connection.receive(name, value, of: frame.pointee.hd.stream_id)
    return 0
}

/// `nghttp2_on_data_chunk_recv_callback`.
private func receiveData(
    _ session: OpaquePointer?,
    _ flags: UInt8,
    _ number: Int32,
    _ bytes: UnsafePointer<UInt8>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    HTTP2Connection.of(context)?.receive(UnsafeBufferPointer(start: bytes, count: count), of: number)
    return 0
}

/// `nghttp2_on_frame_recv_callback`.
private func receiveFrame(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let head = frame?.pointee.hd, head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return 0 }
    let type = UInt32(head.type)
    guard type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue else { return 0 }
    HTTP2Connection.of(context)?.endRequest(head.stream_id)
    return 0
}

/// `nghttp2_on_stream_close_callback`.
private func forgetStream(
    _ session: OpaquePointer?,
    _ number: Int32,
    _ code: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    HTTP2Connection.of(context)?.forget(number)
    return 0
}

/// `nghttp2_data_source_read_callback`.
private func sendData(
    _ session: OpaquePointer?,
    _ number: Int32,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?,
    _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let piece = HTTP2Connection.of(context)?.data(of: number, atMost: length) else {
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    UnsafeMutableRawBufferPointer(start: buffer, count: length).copyBytes(from: piece.bytes)
    if piece.isLast { flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
    return piece.bytes.count
}

extension HTTP2Connection {
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> HTTP2Connection? {
        context.map { Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
    }
}
