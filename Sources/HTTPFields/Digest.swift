import RawStructuredFieldValues

/// A digest algorithm, by its name in the HTTP Digest registry (RFC 9530, section 7.2).
public enum DigestAlgorithm: String, CaseIterable, Hashable, Sendable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    case sha1 = "sha-1"
    case md5

    public var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        case .sha1: 20
        case .md5: 16
        }
    }
}

/// The digest of a file's bytes.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    public let algorithm: DigestAlgorithm
    public let bytes: [UInt8]

    /// - Precondition: `bytes` has the algorithm's length.
    public init(algorithm: DigestAlgorithm, bytes: [UInt8]) {
        precondition(bytes.count == algorithm.byteCount, "a \(algorithm.rawValue) digest of \(bytes.count) bytes")
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Decodes `hex`, hexadecimal digits in either case. Returns nil if it is invalid or has the wrong length.
    public init?(algorithm: DigestAlgorithm, hex: String) {
        guard let bytes = [UInt8](hexadecimal: hex), bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The bytes in lower-case hexadecimal.
    public var hex: String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(hexDigits[Int(byte >> 4)])
            text.append(hexDigits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The algorithm and the bytes, such as `sha-256=0a1b…`: the form in which digests are stored.
    public var description: String { "\(algorithm.rawValue)=\(hex)" }

    /// Parses the form of `description`.
    public init?(_ description: String) {
        let parts = description.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let algorithm = DigestAlgorithm(rawValue: String(parts[0])) else { return nil }
        self.init(algorithm: algorithm, hex: String(parts[1]))
    }
}

private let hexDigits = Array("0123456789abcdef".utf8)

extension [UInt8] {
    /// Decodes pairs of hexadecimal digits in either case. Returns nil if `text` is anything else.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = [UInt8](text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init()
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            append(high << 4 | low)
        }
    }
}

private func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

extension Digest {
    /// The SHA-256 and SHA-512 digests of a `Repr-Digest` field: the algorithms that the registry lists as active (RFC
    /// 9530, sections 3 and 7.2). They cover the whole representation, even if the body has only a range. Empty if the
    /// field cannot be parsed.
    public static func all(reprDigest fieldValue: String) -> [Digest] {
        var parser = StructuredFieldValueParser(Array(fieldValue.utf8))
        guard fieldValue.utf8.count <= maximumLength, let dictionary = try? parser.parseDictionaryFieldValue(),
            dictionary.allSatisfy({ if case .item = $0.1 { true } else { false } })
        else { return [] }
        return [DigestAlgorithm.sha256, .sha512].compactMap { algorithm in
            guard case .item(let item) = dictionary[algorithm.rawValue],
                case .undecodedByteSequence(let text) = item.rfc9651BareItem
            else { return nil }
            return Base64.decode(text.utf8).flatMap { Digest(algorithm: algorithm, exactly: $0) }
        }
    }

    /// In bytes. The parser compares each key with all earlier keys, so a field of unlimited length would take
    /// quadratic time.
    private static let maximumLength = 4096

    /// The digests of a `Digest` field (RFC 3230, 4.3.2; RFC 5843), which RFC 9530 replaced. Invalid digests and
    /// unknown algorithms are skipped; of two digests with the same algorithm the first counts.
    public static func all(digest fieldValue: String) -> [Digest] {
        var digests: [Digest] = []
        var cursor = FieldCursor(fieldValue)
        while !cursor.isAtEnd {
            cursor.skipWhitespace()
            let name = cursor.consume(while: \.isTokenCharacter).map(\.lowercasedASCII)
            let hasValue = cursor.consume("=")
            let value = cursor.parseDigestValue()
            cursor.skipWhitespace()
            let isWhole = cursor.isAtEnd || cursor.next == UInt8(ascii: ",")
            cursor.skip(to: UInt8(ascii: ","))
            _ = cursor.consume(",")
            guard hasValue, isWhole, let algorithm = algorithm(String(decoding: name, as: UTF8.self)),
                let digest = Base64.decode(value).flatMap({ Digest(algorithm: algorithm, exactly: $0) })
            else { continue }
            digests = digests.filled(from: [digest])
        }
        return digests
    }

    private static func algorithm(_ name: String) -> DigestAlgorithm? {
        switch name {
        case "sha-256": .sha256
        case "sha-512": .sha512
        case "md5": .md5
        default: nil
        }
    }

    /// The digest of a `Content-MD5` field (RFC 1864). It covers the body of the response, not the whole
    /// representation.
    public init?(contentMD5 fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        let text = cursor.consume { $0 != .space && $0 != .tab }
        cursor.skipWhitespace()
        guard cursor.isAtEnd, let bytes = Base64.decode(text) else { return nil }
        self.init(algorithm: .md5, exactly: bytes)
    }

    private init?(algorithm: DigestAlgorithm, exactly bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.init(algorithm: algorithm, bytes: bytes)
    }
}

extension FieldCursor {
    /// Consumes an encoded digest. Some servers put it in quotes like a parameter's value.
    fileprivate mutating func parseDigestValue() -> ArraySlice<UInt8> {
        let ahead = self
        if consume("\"") {
            let value = consume { $0 != UInt8(ascii: "\"") }
            if consume("\"") { return value }
            self = ahead
        }
        return consume { $0 != UInt8(ascii: ",") && $0 != .space && $0 != .tab }
    }
}

extension [Digest] {
    /// These digests, and each of `others` whose algorithm is not among them.
    public func filled(from others: [Digest]) -> [Digest] {
        self + others.filter { other in !contains { $0.algorithm == other.algorithm } }
    }
}
