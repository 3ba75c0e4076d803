import Glibc

/// What an ``Origin`` will send: computed from values, sent by ``OriginConnection``.
struct ResponsePlan {
    enum Body {
        case none
        case content(Content, Range<Int64>, before: String, after: String)
        case text(String)
        case bytes([UInt8])

        var byteCount: Int64 {
            switch self {
            case .none: 0
            case .content(_, let range, let before, let after):
                Int64(range.count + before.utf8.count + after.utf8.count)
            case .text(let text): Int64(text.utf8.count)
            case .bytes(let bytes): Int64(bytes.count)
            }
        }
    }

    var status = 200
    var fields: [String] = []
    var body = Body.none

    /// - Parameter number: Of the request at its script, from 0.
    init(_ behaviour: Behaviour, _ request: RecordedRequest, _ content: Content, number: Int) {
        switch behaviour.response {
        case .page(let status):
            self.status = status
            if status == 204 || status == 304 { break }
            fields = ["Content-Type: text/html"]
            body = .text("<html><body>this is not the file: \(status)</body></html>\n")
        case .document(let text):
            fields = ["Content-Type: \(behaviour.contentType)"]
            body = .text(text)
        case .bytes(let bytes), .raw(let bytes):
            fields = ["Content-Type: \(behaviour.contentType)"]
            body = .bytes(bytes)
        case .redirect(let status, let target):
            self.status = status
            fields = ["Location: \(target)"]
            body = .text("<html><body>it is elsewhere</body></html>\n")
        case .content:
            let version =
                switch behaviour.subject {
                case .version(let version): version
                case .newVersionEachTime: number
                }
            let content = content.at(version: version).resized(to: behaviour.size ?? content.size)
            planContent(behaviour, request, content)
            fields += validatorFields(behaviour.validators, content, number: number)
        }
        fields += behaviour.extraFields
    }

    private mutating func planContent(_ behaviour: Behaviour, _ request: RecordedRequest, _ content: Content) {
        body = .content(content, 0..<content.size, before: "", after: "")
        fields = ["Content-Type: \(behaviour.contentType)", "Accept-Ranges: bytes"]
        let isAsked = request.value(of: "range") != nil || behaviour.ranges == .unasked
        guard isAsked, behaviour.ranges != .ignored else { return }
        if behaviour.honoursIfRange, let condition = request.value(of: "if-range") {
            let own = if case .etag(let text) = behaviour.validators { text } else { content.etag }
            let isTag = behaviour.knownIfRange.contains(.tag) && condition == own
            guard isTag || behaviour.knownIfRange.contains(.date) && condition == content.lastModified else { return }
        }
        if case .unsatisfiable(let label) = behaviour.ranges {
            planUnsatisfiable(label)
        } else if let range = request.range(within: content.size) {
            planPart(behaviour.ranges, content, range)
        } else if behaviour.ranges == .unasked {
            planPart(.honoured, content, 0..<content.size)
        } else {
            planUnsatisfiable("bytes */\(content.size)")
        }
    }

    private mutating func planUnsatisfiable(_ label: String?) {
        status = 416
        body = .none
        fields = label.map { ["Content-Range: \($0)"] } ?? []
    }

    private mutating func planPart(_ ranges: Behaviour.Ranges, _ content: Content, _ requested: Range<Int64>) {
        var range = requested
        var total: Int64? = content.size
        switch ranges {
        case .shifted(let distance):
            let first = min(max(requested.lowerBound + distance, 0), content.size - 1)
            range = first..<max(first + 1, requested.upperBound)
        case .shortened(let count):
            range = requested.lowerBound..<min(requested.upperBound, requested.lowerBound + count)
        case .wholeAsPartial: range = 0..<content.size
        case .totalled(let stated): total = stated
        default: break
        }
        status = 206
        body = .content(content, range, before: "", after: "")
        let label = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map { "\($0)" } ?? "*")"
        switch ranges {
        case .labelled(let stated): fields += stated.map { ["Content-Range: \($0)"] } ?? []
        case .multipart:
            fields = ["Content-Type: multipart/byteranges; boundary=PART"]
            body = .content(
                content,
                range,
                before: "--PART\r\nContent-Range: \(label)\r\n\r\n",
                after: "\r\n--PART--\r\n"
            )
        default: fields.append("Content-Range: \(label)")
        }
    }

    private func validatorFields(_ validators: Behaviour.Validators, _ content: Content, number: Int) -> [String] {
        let etag = "ETag: \(content.etag)"
        let date = "Last-Modified: \(content.lastModified)"
        switch validators {
        case .strong: return [etag, date]
        case .weak: return ["ETag: W/\(content.etag)", date]
        case .absent: return []
        case .etagOnly: return [etag]
        case .lastModifiedOnly: return [date]
        case .omittedFromPartial: return status == 206 ? [] : [etag, date]
        case .unstable: return ["ETag: \"mirror-\(number)\""]
        case .etag(let text): return ["ETag: \(text)"]
        }
    }
}

/// Sends a body in the framing, at the pace and to the end that a ``Behaviour`` describes.
struct BodyWriter {
    let socket: Socket
    let stream: OriginStream
    let behaviour: Behaviour
    let isStopped: Signal
    private let onSend: (Int) -> Void
    private var sentCount: Int64 = 0

    /// - Parameter onSend: Told how many bytes of the body were sent, each time.
    init(
        socket: Socket,
        stream: OriginStream,
        behaviour: Behaviour,
        isStopped: Signal,
        onSend: @escaping (Int) -> Void
    ) {
        self.onSend = onSend
        self.socket = socket
        self.stream = stream
        self.behaviour = behaviour
        self.isStopped = isStopped
    }

    /// - Returns: Whether the response is whole, so that the connection may go on.
    mutating func write(_ body: ResponsePlan.Body) -> Bool {
        switch body {
        case .none:
            break
        case .text(let text):
            guard write(Array(text.utf8)[...]) else { return false }
        case .bytes(let bytes):
            guard write(bytes[...]) else { return false }
        case .content(let content, let range, let before, let after):
            guard write(Array(before.utf8)[...]) else { return false }
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 256 << 10) {
                let piece = content.bytes(in: start..<min(start + 256 << 10, range.upperBound))
                guard write(piece[...]) else { return false }
            }
            guard write(Array(after.utf8)[...]) else { return false }
        }
        guard !endsHere() else { return false }
        return behaviour.framing == .chunked ? stream.write(Array("0\r\n\r\n\(behaviour.surplus)".utf8)) : true
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard !endsHere() else { return false }
            if case .stall(let limit, let signal) = behaviour.pace, sentCount == limit {
                signal.waitBlocking(or: isStopped)
            }
            let piece = rest.prefix(nextCount(rest.count))
            guard send(Array(piece)) else { return false }
            sentCount += Int64(piece.count)
            onSend(piece.count)
            rest = rest.dropFirst(piece.count)
            if case .drip(_, let interval) = behaviour.pace { pause(interval) }
        }
        return true
    }

    /// How many bytes may go before something is to happen.
    private func nextCount(_ available: Int) -> Int {
        var count = Int64(available)
        if let limit = behaviour.ending.bodyLimit, limit > sentCount { count = min(count, limit - sentCount) }
        if case .stall(let limit, _) = behaviour.pace, limit > sentCount { count = min(count, limit - sentCount) }
        if case .drip(let byteCount, _) = behaviour.pace { count = min(count, Int64(byteCount)) }
        return Int(count)
    }

    private func send(_ piece: [UInt8]) -> Bool {
        guard behaviour.framing == .chunked else { return stream.write(piece) }
        let size = String(piece.count, radix: 16)
        return stream.write(Array("\(size)\r\n".utf8) + piece + Array("\r\n".utf8))
    }

    /// Whether the connection is to end after what was sent. What comes before its end is sent here.
    private func endsHere() -> Bool {
        guard behaviour.ending.bodyLimit == sentCount else { return false }
        if case .cut(_, .reset) = behaviour.ending { socket.resetOnClose() }
        if case .spoilt(_, let text) = behaviour.ending { _ = stream.write(Array(text.utf8)) }
        if case .damaged = behaviour.ending { stream.writeDamaged(Array("damaged on the way".utf8)) }
        return true
    }

}

/// Blocks the thread of a connection.
func pause(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
}

extension Behaviour.BodyEnd {
    /// How many bytes of the body are sent; nil for all.
    fileprivate var bodyLimit: Int64? {
        switch self {
        case .cut(let limit, _), .spoilt(let limit, _), .damaged(let limit): limit
        case .complete, .closedAtOnce, .cutInHead: nil
        }
    }
}
