import Core
import HTTPServer
import HTTPTypes

/// The position where a page of a list ended, opaque to clients.
///
/// It is bound to the list and its filters, so that a client that changes them gets an error instead of missing rows.
public struct Cursor: Hashable, Sendable {
    /// The key of the last row that was shown.
    public let lastKey: String
    /// The canonical text of the list and its filters.
    public let list: String

    private static let version: UInt8 = 1
    /// Longer texts cannot be cursors of this service.
    static let maximumLength = 1024

    public init(lastKey: String, list: String) {
        self.lastKey = lastKey
        self.list = list
    }

    /// The sealed text for a client.
    public func text(_ sealer: CursorSealer) -> String {
        Base64URL.encode(sealer.seal([Self.version] + Self.fingerprint(list) + Array(lastKey.utf8)))
    }

    /// Decodes a cursor; nil if it is invalid, or belongs to another list or other filters.
    public init?(_ text: String, list: String, _ sealer: CursorSealer) {
        guard text.utf8.count <= Self.maximumLength, let sealed = Base64URL.decode(text) else { return nil }
        guard let bytes = sealer.open(sealed), bytes.first == Self.version else { return nil }
        let head = [Self.version] + Self.fingerprint(list)
        guard bytes.starts(with: head) else { return nil }
        guard let key = String(validating: bytes.dropFirst(head.count), as: UTF8.self), !key.isEmpty else { return nil }
        lastKey = key
        self.list = list
    }

    /// 64-bit FNV-1a (draft-eastlake-fnv). It only distinguishes filters; the seal prevents forgery.
    private static func fingerprint(_ list: String) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in list.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
    }
}
