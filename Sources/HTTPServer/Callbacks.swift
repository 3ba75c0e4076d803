import CMicroHTTPD
import Glibc

/// Starts libmicrohttpd on a listening socket; nil if it fails. `core` must outlive the daemon.
func startDaemon(on listener: Int32, core: ServerCore) -> OpaquePointer? {
    let configuration = core.configuration
    var options = shim_daemon_options(
        listen_socket: listener,
        threads: UInt32(clamping: max(1, configuration.threads)),
        idle_timeout_seconds: UInt32(clamping: (configuration.idleTimeout.milliseconds + 999) / 1000),
        max_connections: ConnectionLimits(configuration).total,
        connection_memory_bytes: max(1024, configuration.maxHeaderBytes),
        has_discipline_level: MicroHTTPLibrary.parsesStrictly ? 1 : 0,
        on_target: onTarget,
        on_decode: onDecode,
        on_access: onAccess,
        on_completed: onCompleted,
        on_connection: onConnection,
        context: Unmanaged.passUnretained(core).toOpaque()
    )
    return shim_start_daemon(&options)
}

/// `MHD_NotifyConnectionCallback`: the socket context retains the ``Connection`` until the closing notification, which
/// comes before the descriptor is closed.
private func onConnection(
    _ context: UnsafeMutableRawPointer?,
    _ raw: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ code: MHD_ConnectionNotificationCode
) {
    guard let context, let raw, let slot else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if let stored = slot.pointee {
        core.close(Unmanaged<Connection>.fromOpaque(stored).takeRetainedValue())
        slot.pointee = nil
    } else {
        let address = shim_peer_address(raw)
        let connection = core.open(
            descriptor: shim_descriptor(raw),
            remoteAddress: numericAddress(address),
            group: AddressGroup(address)
        )
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
    }
}

/// `MHD_OPTION_URI_LOG_CALLBACK`: called with the raw target before it is decoded. The returned pointer becomes
/// `con_cls`.
private func onTarget(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafePointer<CChar>?,
    _ raw: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let target, let raw, let stored = shim_socket_context(raw) else { return nil }
    let connection = Unmanaged<Connection>.fromOpaque(stored).takeUnretainedValue()
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().begin(connection)
    let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    hideQuery(of: target)
    let exchange = Exchange(connection: connection, target: bytes, targetAddress: UInt(bitPattern: target))
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Ends the target behind its question mark, so that libmicrohttpd splits no query.
///
/// It would keep each parameter in the memory for the head. If that is full, 0.9.75 queues an answer for each further
/// parameter and goes on in a state that it does not expect. The target is a part of the connection's buffer, in which
/// libmicrohttpd itself writes after this callback. A version that gives a copy would split the query as before.
private func hideQuery(of target: UnsafePointer<CChar>) {
    guard let mark = strchr(target, Int32(UInt8(ascii: "?"))), mark[1] != 0 else { return }
    mark[1] = 0
}

/// `MHD_OPTION_UNESCAPE_CALLBACK`: leaves the text encoded. The decoded target is not used, and versions from 1.0.2
/// answer a decoded NUL in it with a page of their own.
///
/// - Returns: The length of the text.
private func onDecode(
    _ context: UnsafeMutableRawPointer?,
    _ raw: OpaquePointer?,
    _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    text.map { strlen($0) } ?? 0
}

/// `MHD_AccessHandlerCallback`: called for the head, for each piece of the body, at its end, and again after a resume.
private func onAccess(
    _ context: UnsafeMutableRawPointer?,
    _ raw: OpaquePointer?,
    _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?,
    _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let raw, let method, let version, let uploadSize, let stored = slot?.pointee else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<Exchange>.fromOpaque(stored).takeUnretainedValue()
    let call = AccessCall(
        connection: raw,
        method: method,
        version: version,
        upload: upload,
        uploadSize: uploadSize
    )
    return core.advance(exchange, call)
}

/// `MHD_RequestCompletedCallback`: called when the response was sent or the connection was lost.
private func onCompleted(
    _ context: UnsafeMutableRawPointer?,
    _ raw: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ code: MHD_RequestTerminationCode
) {
    guard let context, let slot, let stored = slot.pointee else { return }
    slot.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(stored).takeRetainedValue()
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().end(exchange)
}

/// The arguments of one `MHD_AccessHandlerCallback`, valid during the call.
struct AccessCall {
    let connection: OpaquePointer
    let method: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
    let upload: UnsafePointer<CChar>?
    let uploadSize: UnsafeMutablePointer<Int>

    /// The piece of the body that is offered in this call.
    var offered: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    }

    func acceptOffered() { uploadSize.pointee = 0 }

    var methodName: String { String(cString: method) }

    /// HTTP/1.0 is still used by health checkers and old proxies.
    var isHTTP10: Bool { String(cString: version) == "HTTP/1.0" }

    /// The start of the body in libmicrohttpd's memory, directly after the head.
    var headEnd: UnsafeRawPointer { UnsafeRawPointer(method) + Int(shim_head_size(connection)) }

    /// The length of the target in 0.9.75. Method, target and version lie in this order in memory, separated by one
    /// byte each.
    func targetLength(from target: UInt) -> Int { Int(bitPattern: version) - Int(bitPattern: target) - 1 }

    func methodLength(to target: UInt) -> Int { Int(bitPattern: target) - Int(bitPattern: method) - 1 }
}
