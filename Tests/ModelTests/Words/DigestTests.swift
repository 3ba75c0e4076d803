import Core
import HTTPFields
import Testing

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
    func whatIsNoHexadecimalOfItsLengthIsRefused(_ hex: String) {
        #expect(Digest(algorithm: .md5, hex: hex) == nil)
    }

    @Test(
        arguments: [
            "", "=", "md5", "md5=", "=d41d8cd98f00b204e9800998ecf8427e", "MD5=d41d8cd98f00b204e9800998ecf8427e",
            "md5==d41d8cd98f00b204e9800998ecf8427e", "sha-1=d41d8cd98f00b204e9800998ecf8427e",
            "crc32=00000000",
        ]
    )
    func whatIsNoDescriptionIsRefused(_ text: String) {
        #expect(Digest(text) == nil)
    }

    @Test func aDigestOfAnotherLengthIsADefect() async {
        await #expect(processExitsWith: .failure) {
            _ = Digest(algorithm: .sha256, bytes: [1])
        }
    }
}
