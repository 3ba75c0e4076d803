/// The kind of an ``Identifier``. As a type parameter it prevents a mix-up of two kinds.
public protocol IdentifierKind: Sendable {
    /// The prefix before the underscore: `dl`, `evt`, …
    static var prefix: String { get }
}

/// A typed, time-ordered id with a prefix, after the TypeID 0.3.0 specification: a UUIDv7 (RFC 9562) as 26 characters
/// in Crockford's base 32, for example `dl_01kdyak3seeejr3cp3tkjzc1rr`.
///
/// The order of the texts is the order of creation, so an id can be the sort key of a list.
public struct Identifier<Kind: IdentifierKind>: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// Parses `text`. Returns nil if it is invalid or of another kind.
    public init?(_ text: String) {
        var rest = text.utf8[...]
        for byte in Kind.prefix.utf8 where rest.popFirst() != byte { return nil }
        guard rest.popFirst() == UInt8(ascii: "_"), rest.count == Self.digitCount else { return nil }
        // 26 digits of 5 bits are 130 bits, so the first digit of a 128-bit value is at most 7.
        guard let first = rest.first, first <= UInt8(ascii: "7"), rest.allSatisfy(isDigit) else { return nil }
        self.text = text
    }

    /// Makes a new id for an instant.
    public init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        text = Self.spell(high: high, low: Self.randomLow(&generator))
    }

    /// Makes one of several new ids for the same instant, which are ordered by `number` (RFC 9562, section 6.2, method
    /// 1).
    ///
    /// - Parameter number: From 0 to 4095. It replaces 12 of the random bits.
    public init(at time: Timestamp, number: Int, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | UInt64(clamping: number) & 0x0FFF
        text = Self.spell(high: high, low: Self.randomLow(&generator))
    }

    /// Makes one of several new ids for the same instant, with the system's random numbers.
    public init(at time: Timestamp, number: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init(at: time, number: number, using: &generator)
    }

    /// Makes a new id for an instant, with the system's random numbers.
    public init(at time: Timestamp) {
        var generator = SystemRandomNumberGenerator()
        self.init(at: time, using: &generator)
    }

    /// A lower bound of all ids of the given instant: the start of a list by time.
    public init(first time: Timestamp) {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        text = Self.spell(high: milliseconds << 16, low: 0)
    }

    private static func randomLow(_ generator: inout some RandomNumberGenerator) -> UInt64 {
        0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
    }

    private static var digitCount: Int { 26 }

    private static func spell(high: UInt64, low: UInt64) -> String {
        let value = UInt128(high) << 64 | UInt128(low)
        var text = Array(Kind.prefix.utf8)
        text.reserveCapacity(text.count + 1 + digitCount)
        text.append(UInt8(ascii: "_"))
        for shift in stride(from: 5 * (digitCount - 1), through: 0, by: -5) {
            text.append(crockford[Int(truncatingIfNeeded: value >> shift) & 31])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Crockford's base 32 in lower case: no `i`, `l`, `o` or `u`.
private let crockford = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

private func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "o"), UInt8(ascii: "u"): false
    case UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
}

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
