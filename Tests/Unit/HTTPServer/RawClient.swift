import Glibc

/// A TCP client that sends what it is told, byte for byte. Every read gives up after 20 seconds.
struct RawClient: Sendable {
    struct Failure: Error { let errno: Int32 }

    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafeBytes(of: &address) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw Failure(errno: number)
        }
    }

    func close() { Glibc.close(descriptor) }

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
