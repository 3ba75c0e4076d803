import Glibc

/// A connection to a server of this process, from an address of its own.
struct LoopbackClient: ~Copyable {
    /// Such as `127.12.3.4`.
    let address: String
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let parts = (0..<3).map { _ in UInt8.random(in: 1...254) }
        address = "127." + parts.map { "\($0)" }.joined(separator: ".")
        let host = parts.reduce(UInt32(127)) { $0 << 8 | UInt32($1) }
        // A reset at the end leaves no connection behind in the state TIME_WAIT.
        var end = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &end, socklen_t(MemoryLayout<linger>.size))
        guard Self.call(bind, descriptor, host, 0), Self.call(connect, descriptor, UInt32(INADDR_LOOPBACK), port) else {
            throw BrokenProperty(description: "the server accepts a connection (errno \(errno))")
        }
    }

    deinit { close(descriptor) }

    /// Sends all bytes, and reads until the server has closed the connection or has answered as often as expected, and
    /// nothing more comes for a moment.
    ///
    /// - Parameter answers: How many answers without content are awaited longer.
    func exchange(_ bytes: [UInt8], answers: Int) -> [UInt8] {
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var rest = answers
        while true {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, rest > 0 ? 200 : 2) > 0 else { return answer }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return answer }
            answer += buffer.prefix(count)
            rest -= buffer.prefix(count).count { $0 == UInt8(ascii: "\n") } / 4
        }
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32,
        _ descriptor: Int32,
        _ host: UInt32,
        _ port: UInt16
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafeBytes(of: &address) {
            function(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
        }
    }
}
