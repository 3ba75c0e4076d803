import Glibc

/// A TCP client that sends what it is told, byte for byte. Every read gives up after 20 seconds.
struct RawClient: Sendable {
    struct Failure: Error { let errno: Int32 }

    private let descriptor: Int32

    /// - Parameter isIPv6: Whether to connect to ::1 instead of 127.0.0.1.
    init(port: UInt16, isIPv6: Bool = false) throws {
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var loopback = sockaddr_in6()
        loopback.sin6_family = sa_family_t(AF_INET6)
        loopback.sin6_port = port.bigEndian
        loopback.sin6_addr = in6addr_loopback
        let descriptor = descriptor
        func connected(_ address: UnsafeRawBufferPointer) -> Int32 {
            connect(descriptor, address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
        }
        let result =
            isIPv6 ? withUnsafeBytes(of: &loopback, connected) : withUnsafeBytes(of: &address, connected)
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw Failure(errno: number)
        }
    }

    func close() { Glibc.close(descriptor) }

    /// Closes the sending side. The answer can still be read.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// - Returns: `false` when the peer does not take everything.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads until the peer closes. `nil` when it does not.
    func readToEnd() -> String? {
        var bytes: [UInt8] = []
        while let piece = read(atMost: 64 << 10) {
            if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece
        }
        return nil
    }

    /// Reads until the peer closes or resets the connection, or until `text` has come. `nil` when neither happens.
    func readAll(until text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        while let piece = read(atMost: 64 << 10) {
            bytes += piece
            if piece.isEmpty || bytes.firstRange(of: Array(text.utf8)) != nil { return bytes }
        }
        return errno == ECONNRESET ? bytes : nil
    }

    /// Whether the peer closes or resets the connection.
    func isCut() -> Bool {
        while let piece = read(atMost: 64 << 10) {
            if piece.isEmpty { return true }
        }
        return errno == ECONNRESET
    }

    /// Reads one answer: its head and as much content as `Content-Length` says.
    func readResponse(toHead: Bool = false) -> RawResponse? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let piece = read(atMost: 1), !piece.isEmpty else { return nil }
            bytes += piece
        }
        guard var response = RawResponse(head: String(decoding: bytes, as: UTF8.self)) else { return nil }
        while !toHead, response.body.count < response.contentLength {
            guard let piece = read(atMost: response.contentLength - response.body.count), !piece.isEmpty else {
                return nil
            }
            response.body += piece
        }
        return response
    }

    /// Reads up to the end of a line, which it leaves out.
    func readLine() -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(2).elementsEqual("\r\n".utf8) {
            guard let piece = read(atMost: 1), !piece.isEmpty else { return nil }
            bytes += piece
        }
        return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }

    func readText(_ count: Int) -> String? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let piece = read(atMost: count - bytes.count), !piece.isEmpty else { return nil }
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Lets a few milliseconds pass unless the peer closes, as a slow sender does between two pieces.
    func pause() {
        var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&end, 1, 5)
    }

    /// Waits until the peer has read what was sent, so that it reads what follows alone. Nothing announces this. The
    /// peer is in this process, so its descriptor shows how much it has yet to read.
    ///
    /// - Parameter peer: From ``peerDescriptor()``.
    func waitUntilRead(by peer: Int32) {
        let own = Self.port(of: descriptor, getsockname)
        var count: Int32 = 0
        while Self.port(of: peer, getpeername) == own, ioctl(peer, UInt(FIONREAD), &count) == 0, count > 0 {
            pause()
        }
    }

    /// The descriptor of the other end, which is in this process, as soon as the connection was accepted.
    func peerDescriptor() throws -> Int32 {
        let own = Self.port(of: descriptor, getsockname)
        for _ in 0..<10_000 {
            if let peer = Self.openDescriptors.first(where: { Self.port(of: $0, getpeername) == own }) { return peer }
            pause()
        }
        throw Failure(errno: ETIMEDOUT)
    }

    private static var openDescriptors: [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var descriptors: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = Int32(name) { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// Waits until there is something to read.
    func waitForAnswer() {
        var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&end, 1, 90_000)
    }

    private static func port(
        of descriptor: Int32,
        _ get: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) {
            get(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    private func read(atMost limit: Int) -> [UInt8]? {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = recv(descriptor, buffer.baseAddress, limit, 0)
            count = max(0, result)
        }
        return result < 0 ? nil : bytes
    }
}

/// An answer as it came over the wire.
struct RawResponse: Sendable {
    let status: Int
    /// Status line and fields.
    let head: String
    var body: [UInt8] = []

    init?(head: String) {
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
        self.status = status
        self.head = head
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var contentLength: Int { field("content-length").flatMap { Int($0) } ?? 0 }

    func field(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name { return String(parts[1].drop { $0 == " " }) }
        }
        return nil
    }
}
