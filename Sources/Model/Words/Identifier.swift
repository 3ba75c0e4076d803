/// What an ``Identifier`` names; the type parameter that keeps two kinds of id from mixing.
public protocol IdentifierKind: Sendable {
    /// The letters before the underscore: `dl`, `evt`, …
    static var prefix: String { get }
}

/// A typed, prefixed, time-ordered id: a UUIDv7 (RFC 9562) as 26 characters of Crockford's base 32
/// behind its kind, after the TypeID 0.3.0 specification. `dl_01kdyak3seeejr3cp3tkjzc1rr`
///
/// The text orders as the time of creation does, so it serves as a key of a list.
public struct Identifier<Kind: IdentifierKind>: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// The id that `text` spells, or nil where it is of another kind or not well formed.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        let prefix = Array("\(Kind.prefix)_".utf8)
        guard utf8.count == prefix.count + Self.digitCount, utf8.starts(with: prefix) else { return nil }
        let digits = utf8.dropFirst(prefix.count)
        // 26 digits of 5 bits are 130 bits: the first digit of a 128-bit value is 7 at the most.
        guard let first = digits.first, first <= UInt8(ascii: "7") else { return nil }
        guard digits.allSatisfy({ Self.alphabet.contains($0) }) else { return nil }
        self.text = text
    }

    /// Makes a new id of the given instant.
    public init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        let low = 0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
        text = Self.spell(high: high, low: low)
    }

    /// Makes a new id of the given instant from the system's random numbers.
    public init(at time: Timestamp) {
        var generator = SystemRandomNumberGenerator()
        self.init(at: time, using: &generator)
    }

    private static var digitCount: Int { 26 }
    private static var alphabet: [UInt8] { crockford }

    private static func spell(high: UInt64, low: UInt64) -> String {
        var value = UInt128(high) << 64 | UInt128(low)
        var digits = [UInt8](repeating: 0, count: digitCount)
        for index in digits.indices.reversed() {
            digits[index] = crockford[Int(value & 31)]
            value >>= 5
        }
        return "\(Kind.prefix)_" + String(decoding: digits, as: UTF8.self)
    }
}

/// Crockford's base 32 in lower case: no `i`, `l`, `o` or `u`.
private let crockford = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

public enum DownloadKind: IdentifierKind { public static let prefix = "dl" }
public enum EventKind: IdentifierKind { public static let prefix = "evt" }
public enum WebhookKind: IdentifierKind { public static let prefix = "whk" }
public enum DeliveryKind: IdentifierKind { public static let prefix = "dlv" }
public enum RequestKind: IdentifierKind { public static let prefix = "req" }

public typealias DownloadID = Identifier<DownloadKind>
public typealias EventID = Identifier<EventKind>
public typealias WebhookID = Identifier<WebhookKind>
public typealias DeliveryID = Identifier<DeliveryKind>
public typealias RequestID = Identifier<RequestKind>
