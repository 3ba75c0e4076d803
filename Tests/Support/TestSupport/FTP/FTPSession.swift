/// One control connection of an ``FTPServer``, on a thread of its own.
struct FTPSession {
    let number: Int
    let behaviour: FTPBehaviour
    let server: FTPServer
    let control: OriginStream
    private var passive: Socket?
    private var first: Int64 = 0
    private var isOver = false

    init(number: Int, behaviour: FTPBehaviour, server: FTPServer, control: OriginStream) {
        self.number = number
        self.behaviour = behaviour
        self.server = server
        self.control = control
    }

    private var told: Content { server.content.at(version: behaviour.version) }

    mutating func run() {
        reply(behaviour.greeting)
        var received: [UInt8] = []
        while !isOver {
            guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else {
                let bytes = control.read()
                if bytes.isEmpty { break }
                received += bytes
                continue
            }
            let line = String(decoding: received[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            received.removeFirst(end + 1)
            server.record(line, of: number)
            let words = line.split(separator: " ", maxSplits: 1)
            respond(words.first.map(String.init) ?? "", words.count > 1 ? String(words[1]) : "")
        }
        closePassive()
    }

    private mutating func respond(_ command: String, _ argument: String) {
        guard command != behaviour.hangUpAt else {
            isOver = true
            return
        }
        switch command {
        case "USER": reply(331)
        case "PASS": reply(behaviour.refusal ?? 230)
        case "PWD": reply(257, "\"/\" is here")
        case "CWD", "TYPE", "PBSZ", "PROT": reply(200)
        case "SIZE": reply(behaviour.tellsSize, "\(told.size)")
        case "MDTM": reply(behaviour.tellsTime, "199411060849\(told.version % 60 < 10 ? "0" : "")\(told.version % 60)")
        case "EPSV", "PASV": listen(command)
        case "REST": restart(at: Int64(argument) ?? 0)
        case "RETR": send()
        case "QUIT":
            reply(221)
            isOver = true
        default: reply(502)
        }
    }

    private func reply(_ isTold: Bool, _ text: String) {
        guard isTold else { return reply(502) }
        if behaviour.hasFile { reply(213, text) } else { reply(550) }
    }

    private mutating func restart(at position: Int64) {
        guard behaviour.restart != .refused else { return reply(502) }
        first = position
        reply(350)
    }

    // MARK: - The data

    private mutating func listen(_ command: String) {
        if case .named = behaviour.passive, command == "EPSV" { return reply(502) }
        closePassive()
        let (socket, port) = Socket.listening()
        server.keep(socket)
        passive = socket
        switch behaviour.passive {
        case .extended: reply(229, "(|||\(port)|)")
        case .named(let address): reply(227, "(\(address),\(port >> 8),\(port & 255))")
        }
    }

    private mutating func send() {
        guard behaviour.hasFile else { return reply(550) }
        reply(150, behaviour.openingText)
        guard let passive, let data = passive.accept() else { return }
        server.keep(data)
        server.dataConnections.fire()
        let stream = server.stream(on: data)
        let isWhole = stream.map { write(to: $0) } ?? false
        if isWhole { stream?.sayGoodbye() }
        server.release(data)
        closePassive()
        guard isWhole else {
            isOver = true
            return
        }
        if case .reply(let code) = behaviour.ending { reply(code) } else { reply(226) }
    }

    /// - Returns: Whether the control connection goes on.
    private func write(to data: OriginStream) -> Bool {
        let sent = server.content.at(version: behaviour.sentVersion ?? behaviour.version)
        let start = behaviour.restart == .ignored ? 0 : min(first, sent.size)
        switch behaviour.ending {
        case .complete, .reply: return write(sent, start..<sent.size, to: data)
        case .silent:
            _ = write(sent, start..<sent.size, to: data)
            // Nothing comes but the end.
            _ = data.read()
            return true
        case .short(let count): return write(sent, start..<min(start + count, sent.size), to: data)
        case .longer(let count): return write(sent.resized(to: sent.size + count), start..<sent.size + count, to: data)
        case .cut(let count):
            _ = write(sent, start..<min(start + count, sent.size), to: data)
            return false
        }
    }

    private func write(_ content: Content, _ range: Range<Int64>, to data: OriginStream) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            let end = min(position + (256 << 10), range.upperBound)
            guard data.write(content.bytes(in: position..<end)) else { return true }
            position = end
        }
        return true
    }

    private mutating func closePassive() {
        if let passive { server.release(passive) }
        passive = nil
    }

    private func reply(_ code: Int, _ text: String = "so it is") {
        _ = control.write(Array("\(code) \(text)\r\n".utf8))
    }
}
