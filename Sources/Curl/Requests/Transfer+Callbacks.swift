import CLibcurl
import Glibc

extension Transfer {
    /// Registers libcurl's callbacks for this transfer.
    func installCallbacks(on handle: EasyHandle) throws(CurlError) {
        // Unretained: the loop removes the handle from libcurl before it releases the transfer.
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA,
        ] {
            try handle.check(shim_easy_setopt_pointer(handle.raw, option, context))
        }
        try handle.check(shim_easy_setopt_write(handle.raw, CURLOPT_WRITEFUNCTION, forwardBody))
        try handle.check(shim_easy_setopt_write(handle.raw, CURLOPT_HEADERFUNCTION, forwardHeaderLine))
        try handle.check(shim_easy_setopt_open_socket(handle.raw, openSocket))
        let sockets = Unmanaged.passUnretained(iteration.connectionCache).toOpaque()
        try handle.check(shim_easy_setopt_pointer(handle.raw, CURLOPT_CLOSESOCKETDATA, sockets))
        try handle.check(shim_easy_setopt_close_socket(handle.raw, closeSocket))
        try handle.check(shim_easy_setopt_before_request(handle.raw, validateConnection))
        if upload != nil { try installUploadCallbacks(on: handle) }
        installTLSCallback(on: handle)
    }

    /// The transfer of an easy handle on which ``installCallbacks(on:)`` was called.
    static func behind(_ easy: UnsafeMutableRawPointer) -> Transfer? {
        var context: UnsafeMutableRawPointer?
        guard shim_easy_getinfo_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return context.map { of($0) }
    }

    static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
}

/// `CURLOPT_WRITEFUNCTION`: accepting fewer bytes than offered aborts the transfer. Bytes for which it returns a pause
/// are offered again. https://curl.se/libcurl/c/CURLOPT_WRITEFUNCTION.html
private func forwardBody(
    _ bytes: UnsafeMutablePointer<CChar>,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer
) -> Int {
    switch Transfer.of(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
    case .taken: size * count
    case .pause: Int(CURL_WRITEFUNC_PAUSE)
    case .abort: Int(CURL_WRITEFUNC_ERROR)
    }
}

/// `CURLOPT_HEADERFUNCTION`: called once per complete line, also for interim responses and trailers.
private func forwardHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.of(context).receiveHeaderLine(line) ? size * count : Int(CURL_WRITEFUNC_ERROR)
}

/// `CURLOPT_OPENSOCKETFUNCTION`: called for each address in turn. If it returns `CURL_SOCKET_BAD`, libcurl tries the
/// next.
private func openSocket(
    _ context: UnsafeMutableRawPointer,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>
) -> curl_socket_t {
    // The structure ends in a plain `sockaddr`, which is too small for an IPv6 address, so the address is read in
    // place.
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
    let target = SocketAddress(UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
    let transfer = Transfer.of(context)
    guard let target, transfer.request.allowsAddress(target) else {
        transfer.refusedSockets += 1
        // FTP's data connection. libcurl would only report a failed connection.
        if transfer.isConnected { transfer.failure = .dataDestinationRefused }
        return CURL_SOCKET_BAD
    }
    transfer.openedSockets += 1
    transfer.address = target
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, type, address.pointee.protocol)
    if descriptor >= 0 { transfer.descriptors.append(descriptor) }
    return descriptor
}

/// `CURLOPT_CLOSESOCKETFUNCTION`: called once per connection, and must close its socket. A connection may outlive its
/// transfers; the ``ConnectionCache`` outlives all connections.
private func closeSocket(_ context: UnsafeMutableRawPointer, _ descriptor: curl_socket_t) -> Int32 {
    Unmanaged<ConnectionCache>.fromOpaque(context).takeUnretainedValue().recordClosed(descriptor)
    return close(descriptor)
}

/// `CURLOPT_PREREQFUNCTION`: called when a connection is ready and before the request is sent, also for a reused
/// connection, for which no socket is opened. https://curl.se/libcurl/c/CURLOPT_PREREQFUNCTION.html
private func validateConnection(
    _ context: UnsafeMutableRawPointer,
    _ remoteAddress: UnsafeMutablePointer<CChar>,
    _ localAddress: UnsafeMutablePointer<CChar>,
    _ remotePort: Int32,
    _ localPort: Int32
) -> Int32 {
    let transfer = Transfer.of(context)
    let target = SocketAddress(String(cString: remoteAddress), port: UInt16(clamping: remotePort))
    guard let target, transfer.request.allowsAddress(target) else {
        transfer.failure = .destinationRefused
        return CURL_PREREQFUNC_ABORT
    }
    transfer.address = target
    guard transfer.use(ConnectionCache.Endpoints(localPort: UInt16(clamping: localPort), remote: target)) else {
        transfer.failure = .connectionSpoilt
        return CURL_PREREQFUNC_ABORT
    }
    transfer.isConnected = true
    return CURL_PREREQFUNC_OK
}
