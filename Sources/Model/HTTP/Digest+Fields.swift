extension Digest {
    /// The digests of a `Repr-Digest` field that are safe against intent (RFC 9530, 3 and 7.2). They are of the whole
    /// representation, whatever range of it the body is. None where the field cannot be read.
    public static func all(reprDigest fieldValue: String) -> [Digest] {
        guard let dictionary = StructuredDictionary(fieldValue) else { return [] }
        return [DigestAlgorithm.sha256, .sha512].compactMap { algorithm in
            dictionary.bytes[algorithm.rawValue].flatMap { Digest(algorithm: algorithm, exactly: $0) }
        }
    }

    /// The digests of a `Digest` field (RFC 3230, 4.3.2; RFC 5843), which RFC 9530 replaced. What cannot be read, or is
    /// of another algorithm, is passed over; of an algorithm that comes twice the first counts.
    public static func all(digest fieldValue: String) -> [Digest] {
        var digests: [Digest] = []
        var cursor = FieldCursor(fieldValue)
        while !cursor.isAtEnd {
            cursor.skipWhitespace()
            let name = cursor.take(while: \.isTokenCharacter).map(\.lowercasedASCII)
            let hasValue = cursor.take("=")
            let value = cursor.takeDigestValue()
            cursor.skipWhitespace()
            let isWhole = cursor.isAtEnd || cursor.next == UInt8(ascii: ",")
            cursor.skip(to: UInt8(ascii: ","))
            _ = cursor.take(",")
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

    /// The digest of a `Content-MD5` field (RFC 1864), which is of the body that it comes with.
    public init?(contentMD5 fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        let text = cursor.take { $0 != .space && $0 != .tab }
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
    /// The encoded digest, which some servers put in quotes as a parameter's value may be.
    fileprivate mutating func takeDigestValue() -> ArraySlice<UInt8> {
        let ahead = self
        if take("\"") {
            let value = take { $0 != UInt8(ascii: "\"") }
            if take("\"") { return value }
            self = ahead
        }
        return take { $0 != UInt8(ascii: ",") && $0 != .space && $0 != .tab }
    }
}

extension [Digest] {
    /// These, and those of `others` whose algorithm is not among them.
    public func filled(from others: [Digest]) -> [Digest] {
        self + others.filter { other in !contains { $0.algorithm == other.algorithm } }
    }
}

extension OriginResponse {
    /// What the response says of the whole file. Of a part only `Repr-Digest` does for certain: `Content-MD5` is of the
    /// part, and which of the two `Digest` is of was understood both ways.
    public var digests: [Digest] {
        let digests = reprDigest.map(Digest.all(reprDigest:)) ?? []
        guard status != 206 else { return digests }
        return
            digests
            .filled(from: digest.map(Digest.all(digest:)) ?? [])
            .filled(from: contentMD5.flatMap(Digest.init(contentMD5:)).map { [$0] } ?? [])
    }
}
