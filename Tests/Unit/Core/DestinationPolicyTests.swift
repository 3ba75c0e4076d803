import Core
import TestSupport
import Testing

@Suite struct DestinationPolicyTests {
    static let refused = [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.255", "192.0.2.1",
        "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.9",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::2",
        "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::8.8.8.8",
        "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:808:808::f7f7:f7f7", "2001:1ff::1",
        "2001:db8::1", "2002::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1",
        "8000::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "ff0e::1", "1fff::1",
    ]

    static let allowed = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "198.17.0.1",
        "198.20.0.1", "223.255.255.255", "168.63.129.17", "::ffff:8.8.8.8", "2001:200::1", "2001:4860:4860::8888",
        "2606:4700::1111", "2a00:1450::1", "2003::1", "3ffe::1", "2001:db9::1",
    ]

    private let policy = DestinationPolicy.publicOnly(allowances: [])

    @Test(arguments: refused)
    func anAddressThatIsNotPublicIsRefused(_ text: String) throws {
        let address = try #require(IPAddress(text))

        #expect(policy.validate(address, port: 443, scheme: .https) == .address)
        #expect(DestinationPolicy.any.validate(address, port: 25, scheme: .http) == nil)
    }

    @Test(arguments: allowed)
    func aPublicAddressIsAllowed(_ text: String) throws {
        let address = try #require(IPAddress(text))

        #expect(policy.validate(address, port: 443, scheme: .https) == nil)
    }

    @Test(
        arguments: [
            ("10.1.0.0/16", "10.1.2.3", true), ("10.1.0.0/16", "10.2.0.0", false), ("::1/128", "::1", true),
            ("10.1.0.0/16", "::ffff:10.1.2.3", true), ("127.0.0.0/8", "::1", false),
            // The tunnel is allowed, but what is inside must be public or allowed too.
            ("64:ff9b::/96", "64:ff9b::8.8.8.8", true), ("64:ff9b::/96", "64:ff9b::10.0.0.1", false),
            ("2002::/16", "2002:a00:1::1", false), ("2002::/16", "2002:808:808::1", true),
            ("2001::/32", "2001:0:808:808::f7f7:f7f7", true), ("2001::/32", "2001:0:808:808::f5ff:fffe", false),
            ("2001::/32", "2001:0:a00:1::f7f7:f7f7", false), ("::/96", "::10.0.0.1", false),
        ] as [(String, String, Bool)]
    )
    func anAllowanceOpensItsBlockAlone(_ block: String, address: String, isAllowed: Bool) throws {
        let policy = DestinationPolicy.publicOnly(allowances: [try #require(CIDR(block))])
        let address = try #require(IPAddress(address))

        #expect((policy.validate(address, port: 80, scheme: .http) == nil) == isAllowed)
    }

    @Test(
        arguments: [
            (80, .http, true), (443, .http, true), (443, .https, true), (8080, .http, true), (1024, .http, true),
            (65_535, .https, true), (0, .http, false), (22, .http, false), (25, .http, false), (53, .https, false),
            (993, .https, false), (1023, .http, false), (21, .http, false), (21, .ftp, true), (990, .ftps, true),
            (22, .sftp, true), (80, .ftp, false), (6000, .http, false), (6379, .http, false), (3306, .https, false),
            (9200, .http, false), (2375, .http, false), (10_080, .http, false), (27_017, .http, false),
        ] as [(UInt16, URLScheme, Bool)]
    )
    func aPortOfAnotherServiceIsRefused(_ port: UInt16, scheme: URLScheme, isAllowed: Bool) throws {
        let address = try #require(IPAddress("8.8.8.8"))

        #expect((policy.validate(address, port: port, scheme: scheme) == .port) == !isAllowed)
    }

    @Test func portsCanBeSet() throws {
        let address = try #require(IPAddress("8.8.8.8"))
        let rules = PortRules(allowed: [25], refused: [8080])

        #expect(policy.validate(address, port: 25, scheme: .http, ports: rules) == nil)
        #expect(policy.validate(address, port: 8080, scheme: .http, ports: rules) == .port)
        #expect(policy.validate(address, port: 6379, scheme: .http, ports: rules) == nil)
    }
}

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
