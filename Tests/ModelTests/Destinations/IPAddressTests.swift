import Core
import Testing
import TestSupport

@Suite struct IPAddressTests {
    @Test(
        arguments: [
            ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("192.0.2.1", "192.0.2.1"), ("::", "::"),
            ("::1", "::1"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8::0001", "2001:db8::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("::ffff:c000:201", "::ffff:192.0.2.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1::", "1::"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("fe80::", "fe80::"), ("0:0:0:0:0:0:0:0", "::"),
        ] as [(String, String)]
    )
    func anAddressIsReadAndWrittenCanonically(_ text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.1",
        "1.2.3.", ".1.2.3", "1.2.3.4 ", "1.2.3.-4", "1.2.3.1000", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "1::2::3", "12345::", "g::", "::1%eth0", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1.2.3.4::",
        "::1.2.3.4:5", "::1.2.3", "1:", ":1", "[::1]", "::ffff:1.2.3.256", "1:2:3:4:5:6:7:1.2.3.4",
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func aLiteralHostStandsInBracketsOnlyWhenItIsIPv6() {
        #expect(IPAddress(urlHost: "[::1]") == .v6(1))
        #expect(IPAddress(urlHost: "127.0.0.1") == .v4(0x7F00_0001))
        #expect(IPAddress(urlHost: "::1") == nil)
        #expect(IPAddress(urlHost: "[127.0.0.1]") == nil)
        #expect(IPAddress(urlHost: "[") == nil)
        #expect(IPAddress(urlHost: "localhost") == nil)
    }

    @Test func anAddressIsReadFromNetworkBytes() {
        #expect(IPAddress(bytes: [192, 0, 2, 1]) == IPAddress("192.0.2.1"))
        #expect(IPAddress(bytes: Array(repeating: 0, count: 15) + [1]) == .v6(1))
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test func formattingIsUndoneByParsing() {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<20_000 {
            let words = (0..<8).map { _ in generator.pick([0, 0, 1, UInt16.random(in: 0 ... .max, using: &generator)]) }
            let address = IPAddress.v6(words.reduce(0) { $0 << 16 | UInt128($1) })

            #expect(IPAddress(address.description) == address)
        }
    }

    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4/32", "1.2.3.5", false), ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false), ("::/0", "1::", true), ("::/0", "1.2.3.4", false), ("::1", "::1", true),
            ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false),
        ] as [(String, String, Bool)]
    )
    func aBlockContainsItsAddresses(_ block: String, address: String, isInside: Bool) throws {
        let block = try #require(CIDR(block))
        let address = try #require(IPAddress(address))

        #expect(block.contains(address) == isInside)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.1.2.3/8", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "::/129",
        "fd00::1/8", "10/8", "example/8", "10.0.0.0/+8", "10.0.0.0/ 8",
    ])
    func aBlockThatIsNoneIsRefused(_ text: String) {
        #expect(CIDR(text) == nil)
    }

    @Test(arguments: ["10.0.0.0/8", "::1/128", "0.0.0.0/0", "2001:db8::/32"])
    func aBlockShowsAsItIsRead(_ text: String) {
        #expect(CIDR(text)?.description == text)
    }
}
