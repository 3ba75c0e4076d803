import Core
import HTTPFields
import Testing
import TransferRules

@Suite struct DigestTests {
    @Test(arguments: DigestAlgorithm.allCases)
    func aDigestIsReadBackFromWhatItSpells(_ algorithm: DigestAlgorithm) {
        let digest = Digest(algorithm: algorithm, bytes: (0..<algorithm.byteCount).map { UInt8(255 - $0) })

        #expect(Digest(digest.description) == digest)
        #expect(Digest(algorithm: algorithm, hex: digest.hex.uppercased()) == digest)
        #expect(digest.description.hasPrefix("\(algorithm.rawValue)=fffefd"))
    }

    @Test(
        arguments: [
            "", "0", "d41d8cd98f00b204e9800998ecf8427", "d41d8cd98f00b204e9800998ecf8427ef",
            "g41d8cd98f00b204e9800998ecf8427e", " 41d8cd98f00b204e9800998ecf8427e", "+41d8cd98f00b204e9800998ecf8427e",
            "éd8cd98f00b204e9800998ecf8427ee",
        ]
    )
    func hexadecimalDigestsOfAWrongLengthAreRefused(_ hex: String) {
        #expect(Digest(algorithm: .md5, hex: hex) == nil)
    }

    @Test(
        arguments: [
            "", "=", "md5", "md5=", "=d41d8cd98f00b204e9800998ecf8427e", "MD5=d41d8cd98f00b204e9800998ecf8427e",
            "md5==d41d8cd98f00b204e9800998ecf8427e", "sha-1=d41d8cd98f00b204e9800998ecf8427e",
            "crc32=00000000",
        ]
    )
    func malformedDigestDescriptionsAreRefused(_ text: String) {
        #expect(Digest(text) == nil)
    }

    @Test func aDigestOfAnotherLengthIsADefect() async {
        await #expect(processExitsWith: .failure) {
            _ = Digest(algorithm: .sha256, bytes: [1])
        }
    }
}

@Suite struct DigestFieldTests {
    private static let (sha256, sha512, md5) = (
        Digest(algorithm: .sha256, bytes: Array(0..<32)), Digest(algorithm: .sha512, bytes: Array(0..<64)),
        Digest(algorithm: .md5, bytes: Array(0..<16))
    )
    private static let text256 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let text512 =
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
    private static let textMD5 = "AAECAwQFBgcICQoLDA0ODw=="

    @Test(
        arguments: [
            ("sha-256=:\(text256):", [sha256]),
            (" sha-512=:\(text512): , sha-256=:\(text256):\t", [sha256, sha512]),
            ("sha-256=:\(text256.dropLast()):", [sha256]),
            ("sha-256=:\(text256):;a=1;b;c=\"x\\\"y\";d=:AA==:, md5=:\(textMD5):", [sha256]),
            ("unixsum=30637, x=?1, y=\"a, b\", z=@5, sha-256=:\(text256):", [sha256]),
            ("sha-256=:\(textMD5):, sha-256=:\(text256):", [sha256]),
            ("sha-256=:\(text256):, sha-256=:\(textMD5):", []),
            ("sha-256=:\(text256):, sha-256", []),
            ("sha-512=:\(text256):", []),
        ] as [(String, [Digest])]
    )
    func aReprDigestIsRead(_ text: String, _ digests: [Digest]) {
        #expect(Digest.all(reprDigest: text) == digests)
    }

    @Test(arguments: [
        "", " ", ",", "sha-256", "sha-256=\(text256)", "SHA-256=:\(text256):", "sha-256=:\(text256)",
        "sha-256 = :\(text256):", "sha-256=:\(text256):,", "sha-256=:\(text256): x", "sha-256=:\(text256)=:",
        "sha-256=:*\(text256.dropFirst()):", "sha-256=:\(text256):, a=(1 2)", "sha-256=:\(text256):;", "=:AA==:",
        "sha-256=:\(text256):, a=\"b", "sha-256=:\(text256):, a=\"b\\", "sha-256=", "\u{E9}",
    ])
    func aReprDigestThatIsNoneIsIgnored(_ text: String) {
        #expect(Digest.all(reprDigest: text) == [])
    }

    @Test(
        arguments: [
            ("SHA-256=\(text256)", [sha256]),
            ("sha-256=\(text256),MD5=\(textMD5)", [sha256, md5]),
            ("UNIXsum=30637 , md5=\(textMD5),, SHA-512=\(text512)", [md5, sha512]),
            ("SHA-256=\(text256), SHA-256=\(textMD5)", [sha256]),
            ("SHA-256=\(textMD5), SHA-256=\(text256)", [sha256]),
            ("SHA-256=\(text256) x, md5=\(textMD5)", [md5]),
            ("SHA-256=:\(text256):, SHA-256, =, x", []),
            ("SHA-256=\"\(text256)\"", [sha256]), ("SHA-256=\"\(text256)\" , md5=\"\(textMD5)\"", [sha256, md5]),
            ("x=\"a, SHA-256=\(text256), b\", md5=\(textMD5)", [md5]), ("SHA-256=\"\(text256)", []),
            ("SHA-256=\"\(text256)\"x, md5=\(textMD5)", [md5]), ("SHA-256=\"\", md5=\(textMD5)", [md5]),
            ("", []), (",", []), ("sha-256", []), ("SHA=\(textMD5)", []),
        ] as [(String, [Digest])]
    )
    func aDigestFieldIsReadAsFarAsItCanBe(_ text: String, _ digests: [Digest]) {
        #expect(Digest.all(digest: text) == digests)
    }

    @Test(arguments: [textMD5, " \(textMD5)\t", String(textMD5.dropLast(2))])
    func aContentMD5IsRead(_ text: String) {
        #expect(Digest(contentMD5: text) == Self.md5)
    }

    @Test(arguments: ["", text256, "000102030405060708090a0b0c0d0e0f", "\(textMD5) x", "\(textMD5)=", "A", "===="])
    func aContentMD5ThatIsNoneIsIgnored(_ text: String) {
        #expect(Digest(contentMD5: text) == nil)
    }

    @Test func ofAPartOnlyTheDigestOfTheWholeCounts() {
        var response = OriginResponse(status: 200, receivedAt: HTTPDate(secondsSinceEpoch: 0))
        response.reprDigest = "sha-256=:\(Self.text256):"
        response.digest = "sha-256=\(Self.text256.lowercased()), sha-512=\(Self.text512)"
        response.contentMD5 = Self.textMD5

        #expect(response.digests == [Self.sha256, Self.sha512, Self.md5])
        response.status = 206
        #expect(response.digests == [Self.sha256])
    }
}
