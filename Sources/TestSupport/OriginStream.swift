/// The bytes of a connection, over TLS or in clear text.
struct OriginStream {
    let socket: Socket
    let tls: TLSSession?

    /// - Returns: Empty at the end of the stream or after an error.
    func read() -> [UInt8] { tls.map { $0.read() } ?? socket.read() }

    /// - Returns: False once the peer has gone.
    func write(_ bytes: [UInt8]) -> Bool { tls.map { $0.write(bytes) } ?? socket.write(bytes) }

    /// In clear text nothing tells that they were damaged.
    func writeDamaged(_ bytes: [UInt8]) {
        _ = tls.map { $0.write(bytes, isDamaged: true) } ?? socket.write(bytes)
    }

    func sayGoodbye() { tls?.sayGoodbye() }
}
