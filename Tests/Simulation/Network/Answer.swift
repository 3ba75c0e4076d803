import Curl

/// What a server of the world answers to one request.
struct Answer {
    /// The time until the head, or until the failure before it, in milliseconds.
    var latency = 1
    var result: Result<ResponseHead, CurlError>
    var body = Body()
    /// The longest time between two pieces of the body, in milliseconds.
    var longestPause = 12
    /// The time between the last byte and a failure after it, in milliseconds.
    var silence = 0

    struct Body {
        var content: Content?
        /// Where the body begins in the content.
        var start = 0
        /// How many bytes come.
        var sent = 0
        /// How the body ends, if not in order.
        var error: CurlError?

        func bytes(from offset: Int, count: Int) -> [UInt8] {
            content?.bytes(from: start + offset, count: count) ?? [UInt8](repeating: UInt8(ascii: "<"), count: count)
        }
    }

    init(_ head: ResponseHead) { result = .success(head) }

    init(_ error: CurlError) { result = .failure(error) }
}

/// One version of a file: a function of its number, so that nothing of it is kept.
struct Content: Hashable {
    let file: Int
    let version: Int
    let size: Int

    func bytes(from start: Int, count: Int) -> [UInt8] {
        let key = UInt64(truncatingIfNeeded: file &* 7919 &+ version &* 104_729 &+ 1)
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            for index in 0..<count {
                let offset = UInt64(start + index)
                bytes[index] = UInt8(
                    truncatingIfNeeded: (offset / 8 &+ key) &* 0x9E37_79B9_7F4A_7C15 >> (offset % 8 * 8)
                )
            }
            initialized = count
        }
    }
}
