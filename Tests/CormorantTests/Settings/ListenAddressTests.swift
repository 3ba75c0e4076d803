@testable import cormorant
import Testing

@Suite
struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080", true),
        ("127.9.9.9:1", "127.9.9.9:1", true),
        ("[::1]:8080", "[::1]:8080", true),
        ("[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", true),
        ("localhost:80", "127.0.0.1:80", true),
        ("8080", "127.0.0.1:8080", true),
        ("0", "127.0.0.1:0", true),
        (":8080", "0.0.0.0:8080", false),
        ("[::]:8080", "[::]:8080", false),
        ("192.0.2.1:80", "192.0.2.1:80", false),
        ("[2001:db8::1]:65535", "[2001:db8::1]:65535", false),
    ])
    func anAddressIsRead(_ text: String, _ description: String, _ isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))

        #expect(address.description == description)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+80", "example.com:80",
        "::1:8080", "[::1]", "[127.0.0.1]:80", "[::1:80", "1.2.3:80", "127.0.0.1:80 ", "127.0.0.1:８０",
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [(":80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.0.2.1:80", "192.0.2.1:80")])
    func aClientOnThisMachineReachesIt(_ text: String, _ reachable: String) throws {
        #expect(try #require(ListenAddress(text)).reachable.description == reachable)
    }
}
