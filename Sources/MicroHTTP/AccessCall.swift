internal import CMicroHTTPD

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

    /// Health checkers still speak it, and proxies of an old kind.
    var isHTTP10: Bool { String(cString: version) == "HTTP/1.0" }

    /// Where the body begins in libmicrohttpd's memory: right behind the head.
    var headEnd: UnsafeRawPointer { UnsafeRawPointer(method) + Int(shim_head_size(connection)) }

    /// Method, target and version stand in one line of memory with one byte between them.
    func targetLength(from target: UInt) -> Int { Int(bitPattern: version) - Int(bitPattern: target) - 1 }

    func methodLength(to target: UInt) -> Int { Int(bitPattern: target) - Int(bitPattern: method) - 1 }
}
