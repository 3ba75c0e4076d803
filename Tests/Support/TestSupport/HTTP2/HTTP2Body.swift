import CNGHTTP2

/// The body of an answer over HTTP/2, given piece by piece up to where its ``Behaviour`` ends it.
struct HTTP2Body {
    private let body: ResponsePlan.Body
    private let behaviour: Behaviour
    private let size: Int64
    private var position: Int64 = 0

    init(_ body: ResponsePlan.Body, _ behaviour: Behaviour) {
        self.body = body
        self.behaviour = behaviour
        size = body.byteCount
    }

    /// Where it ends before its end.
    private var limit: Int64? {
        if case .reset(_, let limit)? = behaviour.http2Fault { return limit }
        if case .cut(let limit, _) = behaviour.ending { return limit }
        return nil
    }

    var isWhole: Bool { position == size && limit == nil }

    /// The code of the reset that is to come now.
    var dueReset: UInt32? {
        if case .reset(let code, let limit)? = behaviour.http2Fault, position == min(limit, size) { code } else { nil }
    }

    /// How the connection is to end now.
    var dueClose: Behaviour.Close? {
        if case .cut(let limit, let close) = behaviour.ending, position == min(limit, size) { close } else { nil }
    }

    /// - Returns: Nil at the place where it is cut.
    mutating func next(atMost count: Int) -> [UInt8]? {
        if let limit, position >= min(limit, size) { return nil }
        let end = min(position + Int64(count), min(limit ?? size, size))
        defer { position = end }
        return bytes(in: position..<end)
    }

    private func bytes(in range: Range<Int64>) -> [UInt8] {
        switch body {
        case .none: return []
        case .text(let text): return Array(Array(text.utf8)[Int(range.lowerBound)..<Int(range.upperBound)])
        case .bytes(let bytes): return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .content(let content, let whole, let before, let after):
            precondition(before.isEmpty && after.isEmpty, "no parts of multipart over HTTP/2")
            return content.bytes(in: whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
        }
    }
}

/// The fields of a head in the form in which the library takes them; it copies what it is given.
enum HTTP2Field {
    static func withAll(
        _ fields: [(String, String)],
        _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void
    ) {
        var bytes = fields.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
        bytes.withUnsafeMutableBufferPointer { bytes in
            guard var next = bytes.baseAddress else { return }
            let pairs = fields.map { name, value in
                defer { next += name.utf8.count + value.utf8.count }
                return nghttp2_nv(
                    name: next,
                    value: next + name.utf8.count,
                    namelen: name.utf8.count,
                    valuelen: value.utf8.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                )
            }
            pairs.withUnsafeBufferPointer(body)
        }
    }
}
