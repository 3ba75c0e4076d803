import Glibc

/// A bound and listening TCP socket. It is not created by libmicrohttpd, so that an error has its `errno`.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    init(address: ServerAddress, dualStack: Bool) throws(HTTPServerError) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let found else {
            throw .invalidAddress(address.host)
        }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(found.pointee.ai_family, kind, 0)
        guard descriptor >= 0 else { throw Self.error(errno, address) }
        guard Self.listen(descriptor, on: found.pointee, dualStack) else {
            let number = errno
            Glibc.close(descriptor)
            throw Self.error(number, address)
        }
        self.descriptor = descriptor
        self.port = Self.boundPort(of: descriptor)
    }

    func close() { Glibc.close(descriptor) }

    private static func listen(_ descriptor: Int32, on address: addrinfo, _ dualStack: Bool) -> Bool {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.ai_family == AF_INET6 {
            // Set in both cases, because the default is a setting of the machine (ipv6(7)).
            var only: Int32 = dualStack ? 0 : 1
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, size)
        }
        return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 && Glibc.listen(descriptor, SOMAXCONN) == 0
    }

    private static func boundPort(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address) {
            _ = getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        // The port has the same offset in both address structures.
        return UInt16(bigEndian: address.sin6_port)
    }

    private static func error(_ number: Int32, _ address: ServerAddress) -> HTTPServerError {
        switch number {
        case EADDRINUSE: .addressInUse(address)
        case EADDRNOTAVAIL: .addressNotAvailable(address.host)
        case EACCES: .permissionDenied(address)
        case EAFNOSUPPORT: .noIPv6(address.host)
        default: .cannotStart(errno: number)
        }
    }
}
