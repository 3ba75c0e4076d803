import CMicroHTTPD
import Glibc
import Synchronization

/// Starts libmicrohttpd on a listening socket; `core` must outlive the daemon. `nil` when it does not start.
func startDaemon(on listener: Int32, core: ServerCore) -> OpaquePointer? {
    let configuration = core.configuration
    var options = shim_daemon_options(
        listen_socket: listener,
        threads: UInt32(clamping: max(1, configuration.threads)),
        idle_timeout_seconds: UInt32(clamping: (configuration.idleTimeout.milliseconds + 999) / 1000),
        max_connections: ConnectionLimits(configuration).total,
        connection_memory_bytes: max(1024, configuration.maxHeaderBytes),
        on_target: onTarget,
        on_access: onAccess,
        on_completed: onCompleted,
        on_connection: onConnection,
        context: Unmanaged.passUnretained(core).toOpaque()
    )
    return shim_start_daemon(&options)
}

/// `MHD_NotifyConnectionCallback`: the ``Connection`` is retained into the socket context until the closing notice,
/// which comes before the descriptor is closed.
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

/// `MHD_OPTION_URI_LOG_CALLBACK`: called with the raw target before it is decoded. What it returns becomes `con_cls`.
private func onTarget(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafePointer<CChar>?,
    _ raw: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let target, let raw, let stored = shim_socket_context(raw) else { return nil }
    let connection = Unmanaged<Connection>.fromOpaque(stored).takeUnretainedValue()
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().begin(connection)
    let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    let exchange = Exchange(connection: connection, target: bytes, targetAddress: UInt(bitPattern: target))
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// `MHD_AccessHandlerCallback`: called for the head, for each piece of body, at the end, and again after a resume.
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

/// `MHD_RequestCompletedCallback`: the response is sent, or the connection is gone.
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

/// The arguments of one `MHD_AccessHandlerCallback`; valid while it runs.
struct AccessCall {
    let connection: OpaquePointer
    let method: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
    let upload: UnsafePointer<CChar>?
    let uploadSize: UnsafeMutablePointer<Int>

    /// The piece of body that comes with this call.
    var offered: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    }

    func acceptOffered() { uploadSize.pointee = 0 }

    var methodName: String { String(cString: method) }

    /// Health checkers and old proxies still use it.
    var isHTTP10: Bool { String(cString: version) == "HTTP/1.0" }

    /// Where the body begins in libmicrohttpd's memory: right after the head.
    var headEnd: UnsafeRawPointer { UnsafeRawPointer(method) + Int(shim_head_size(connection)) }

    /// Method, target and version are in one line of memory with one byte between them.
    func targetLength(from target: UInt) -> Int { Int(bitPattern: version) - Int(bitPattern: target) - 1 }

    func methodLength(to target: UInt) -> Int { Int(bitPattern: target) - Int(bitPattern: method) - 1 }
}

/// An open descriptor and the duty to close it.
///
/// The first response sent with it takes the descriptor, and libmicrohttpd closes it. A descriptor that no response
/// took is closed with the last reference.
public final class OpenFile: Sendable {
    private static let taken: Int32 = -1

    private let descriptor: Atomic<Int32>

    /// Takes over `descriptor`, which must be open for reading and seekable. The caller must not close it.
    public init(owning descriptor: Int32) {
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        if let descriptor = take() { close(descriptor) }
    }

    /// Transfers the descriptor to the caller, once.
    func take() -> Int32? {
        let descriptor = descriptor.exchange(Self.taken, ordering: .acquiringAndReleasing)
        return descriptor == Self.taken ? nil : descriptor
    }
}
