/// The XXH64 digest, with seed 0, of bytes that are appended in pieces.
///
/// It detects accidental damage: a damage stays undetected with a probability of 2^-64. It does not protect against
/// deliberate changes. Source: the xxHash specification of github.com/Cyan4973/xxHash, section XXH64.
public struct XXH64: Hashable, Sendable {
    private var lanes = Lanes()
    private var byteCount = 0
    /// Appended bytes that do not yet form a complete stripe.
    private var rest: [UInt8] = []

    public init() {}

    /// Appends the next bytes.
    public mutating func update(_ bytes: RawSpan) {
        byteCount += bytes.byteCount
        let lead = rest.isEmpty ? 0 : min(Lanes.stripe - rest.count, bytes.byteCount)
        rest.append(bytes.extracting(first: lead))
        if rest.count == Lanes.stripe {
            let stripe = rest
            rest = []
            // The array outlives the span.
            unsafe lanes.update(stripe.span.bytes)
        }
        let following = bytes.extracting(droppingFirst: lead)
        let whole = following.byteCount - following.byteCount % Lanes.stripe
        lanes.update(following.extracting(first: whole))
        rest.append(following.extracting(droppingFirst: whole))
    }

    /// The digest of all appended bytes.
    public var value: UInt64 {
        var hash = (byteCount >= Lanes.stripe ? lanes.converged : Prime.fifth) &+ UInt64(byteCount)
        let words = rest.count / 8
        for word in 0..<words {
            hash =
                (hash ^ Lanes.round(0, rest.number(at: 8 * word, bytes: 8))).rotated(27) &* Prime.first &+ Prime.fourth
        }
        var offset = 8 * words
        if rest.count - offset >= 4 {
            hash = (hash ^ rest.number(at: offset, bytes: 4) &* Prime.first).rotated(23) &* Prime.second &+ Prime.third
            offset += 4
        }
        for byte in rest[offset...] {
            hash = (hash ^ UInt64(byte) &* Prime.fifth).rotated(11) &* Prime.first
        }
        hash = (hash ^ (hash >> 33)) &* Prime.second
        hash = (hash ^ (hash >> 29)) &* Prime.third
        return hash ^ (hash >> 32)
    }
}

private enum Prime {
    static let first: UInt64 = 0x9E37_79B1_85EB_CA87
    static let second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    static let third: UInt64 = 0x1656_67B1_9E37_79F9
    static let fourth: UInt64 = 0x85EB_CA77_C2B2_AE63
    static let fifth: UInt64 = 0x27D4_EB2F_1656_67C5
}

/// The four accumulators. Each processes a quarter of each stripe, so that the processor can compute them in parallel.
private struct Lanes: Hashable {
    static let stripe = 32

    var first = Prime.first &+ Prime.second
    var second = Prime.second
    var third: UInt64 = 0
    var fourth = 0 &- Prime.first

    /// - Parameter stripes: A whole number of stripes.
    mutating func update(_ stripes: RawSpan) {
        var lanes = self
        for offset in stride(from: 0, to: stripes.byteCount, by: Self.stripe) {
            lanes.first = Self.round(lanes.first, stripes.word(at: offset))
            lanes.second = Self.round(lanes.second, stripes.word(at: offset + 8))
            lanes.third = Self.round(lanes.third, stripes.word(at: offset + 16))
            lanes.fourth = Self.round(lanes.fourth, stripes.word(at: offset + 24))
        }
        self = lanes
    }

    var converged: UInt64 {
        let sum = first.rotated(1) &+ second.rotated(7) &+ third.rotated(12) &+ fourth.rotated(18)
        return [first, second, third, fourth].reduce(sum) { hash, lane in
            (hash ^ Self.round(0, lane)) &* Prime.first &+ Prime.fourth
        }
    }

    static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        (lane &+ word &* Prime.second).rotated(31) &* Prime.first
    }
}

extension UInt64 {
    fileprivate func rotated(_ bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}

extension RawSpan {
    fileprivate func word(at offset: Int) -> UInt64 {
        // Any eight bytes are a valid number, and the load checks the bounds of the span.
        unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ bytes: RawSpan) {
        // The pointer is not used after the call.
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    /// The `count` bytes at `offset` as a little-endian number.
    fileprivate func number(at offset: Int, bytes count: Int) -> UInt64 {
        self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
