/// One connection to an ``UploadServer``, served by one thread.
struct UploadConnection {
    let socket: Socket
    let number: Int
    let server: UploadServer
    private var received: [UInt8] = []

    init(socket: Socket, number: Int, server: UploadServer) {
        self.socket = socket
        self.number = number
        self.server = server
    }

    mutating func run() {
        while let head = readHead() {
            let (index, step) = server.begin(UploadServer.Request(connection: number, head: head))
            let length = head.value(of: "content-length").flatMap { Int($0) } ?? 0
            let isKept = serve(step, index, length)
            server.update(index) { $0.isOver = true }
            server.changes.post()
            guard isKept else { return }
        }
    }

    /// - Returns: Whether the connection can serve another request.
    private mutating func serve(_ step: UploadServer.Step, _ index: Int, _ length: Int) -> Bool {
        guard receive(index, upTo: min(step.byteCount, length)) else { return false }
        server.changes.post()
        if let pause = step.pause { server.wait(for: pause) }
        if let response = step.response, !socket.write(Array(response.utf8)) { return false }
        if step.end == .reset {
            socket.resetOnClose()
            return false
        }
        return receive(index, upTo: length) && step.end == .kept
    }

    /// Receives the body of a request as far as a byte.
    ///
    /// - Returns: False if the connection ended before.
    private mutating func receive(_ index: Int, upTo count: Int) -> Bool {
        var have = server.requests[index].body.count
        while have < count {
            if received.isEmpty { received = socket.read() }
            guard !received.isEmpty else { return false }
            let piece = received.prefix(count - have)
            server.update(index) { $0.body += piece }
            have += piece.count
            received.removeFirst(piece.count)
        }
        return true
    }

    private mutating func readHead() -> RecordedRequest? {
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                received.removeSubrange(..<end.upperBound)
                guard let words = lines.first?.split(separator: " ").map(String.init), words.count == 3 else {
                    return nil
                }
                let fields = lines.dropFirst().map(String.init)
                return RecordedRequest(
                    method: words[0],
                    target: words[1],
                    isHTTP2: false,
                    fieldLines: fields,
                    body: []
                )
            }
            let bytes = socket.read()
            guard !bytes.isEmpty else { return nil }
            received += bytes
        }
    }
}
