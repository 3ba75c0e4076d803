import Glibc

/// One connection to an ``Origin``, served by one thread until it ends.
struct OriginConnection {
    let socket: Socket
    let stream: OriginStream
    let origin: Origin
    private var received: [UInt8] = []

    /// - Parameter tls: Nil in clear text.
    init(socket: Socket, tls: TLSSession?, origin: Origin) {
        self.socket = socket
        stream = OriginStream(socket: socket, tls: tls)
        self.origin = origin
    }

    mutating func run() {
        while let request = readRequest() {
            let (behaviour, content, number) = origin.record(request)
            if case .stallBeforeHead(let signal) = behaviour.pace { signal.waitBlocking(or: origin.isStopped) }
            if case .closedAtOnce(let close) = behaviour.ending {
                if close == .reset { socket.resetOnClose() }
                return
            }
            if case .raw(let bytes) = behaviour.response {
                _ = stream.write(bytes)
                stream.sayGoodbye()
                return
            }
            let plan = ResponsePlan(behaviour, request, content, number: number)
            guard send(plan, behaviour, from: request.path) else { return }
            if case .stall = behaviour.pace { socket.awaitAcknowledgement() }
            origin.responses.fire()
        }
    }

    private mutating func readRequest() -> RecordedRequest? {
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                received.removeSubrange(..<end.upperBound)
                return readBody(after: head.split(separator: "\r\n").map(String.init))
            }
            guard readMore() else { return nil }
        }
    }

    private mutating func readBody(after lines: [String]) -> RecordedRequest? {
        guard let words = lines.first?.split(separator: " ").map(String.init), words.count == 3 else { return nil }
        let fields = Array(lines.dropFirst())
        let bare = RecordedRequest(method: words[0], target: words[1], isHTTP2: false, fieldLines: fields, body: [])
        let length = bare.value(of: "content-length").flatMap { Int($0) } ?? 0
        while received.count < length {
            guard readMore() else { return nil }
        }
        let body = Array(received[..<length])
        received.removeSubrange(..<length)
        return RecordedRequest(method: words[0], target: words[1], isHTTP2: false, fieldLines: fields, body: body)
    }

    private mutating func readMore() -> Bool {
        let bytes = stream.read()
        received += bytes
        return !bytes.isEmpty
    }

    /// - Returns: Whether the connection can serve another request.
    private func send(_ plan: ResponsePlan, _ behaviour: Behaviour, from path: String) -> Bool {
        let keepsConnection = behaviour.keepsConnection && behaviour.framing != .closeDelimited
        var lines: [String] = []
        for number in 0..<behaviour.interimResponseCount {
            if let duration = behaviour.interimPause {
                pause(duration)
                guard stream.write(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8)) else { return false }
                continue
            }
            lines += ["HTTP/1.1 103 Early Hints", "Link: </\(number)>"] + behaviour.interimFields + [""]
        }
        lines += ["HTTP/1.1 \(plan.status) Status"] + behaviour.leadingFields + ["Date: \(Origin.date)"] + plan.fields
        if plan.status != 204 && plan.status != 304 { lines += framingFields(plan, behaviour.framing) }
        if !keepsConnection { lines.append("Connection: close") }
        lines += behaviour.lastFields
        let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        if case .cutInHead(let place, let close) = behaviour.ending {
            _ = stream.write(Array(place < 0 ? head.dropLast(-place) : head.prefix(place)))
            if close == .reset { socket.resetOnClose() }
            return false
        }
        guard stream.write(head) else { return false }

        if case .drip = behaviour.pace { socket.sendSmallBuffers() }
        var writer = BodyWriter(socket: socket, stream: stream, behaviour: behaviour, isStopped: origin.isStopped) {
            [origin] in origin.recordSent($0, from: path)
        }
        guard writer.write(plan.body) else { return false }
        if !keepsConnection && behaviour.sendsCloseNotify { stream.sayGoodbye() }
        return keepsConnection
    }

    private func framingFields(_ plan: ResponsePlan, _ framing: Behaviour.Framing) -> [String] {
        switch framing {
        case .contentLength: ["Content-Length: \(plan.body.byteCount)"]
        case .wrongContentLength(let difference): ["Content-Length: \(plan.body.byteCount + difference)"]
        case .chunked: ["Transfer-Encoding: chunked"]
        case .closeDelimited: []
        }
    }
}

/// A request as it came to an ``Origin``.
public struct RecordedRequest: Hashable, Sendable {
    public let method: String
    public let target: String
    public let isHTTP2: Bool
    /// Whole lines, in the order they came.
    public let fieldLines: [String]
    public let body: [UInt8]

    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of the first field called `name`.
    public func value(of name: String) -> String? {
        let prefix = name.lowercased() + ":"
        guard let line = fieldLines.first(where: { $0.lowercased().hasPrefix(prefix) }) else { return nil }
        return String(line.dropFirst(prefix.count).drop { $0 == " " })
    }

    /// The one range asked for, cut to `size`; nil if there is none or it cannot be served.
    func range(within size: Int64) -> Range<Int64>? {
        guard let value = value(of: "range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), first < size else { return nil }
        let last = min(Int64(ends[1]) ?? size - 1, size - 1)
        return first <= last ? first..<last + 1 : nil
    }
}
