import Linux
import Testing

struct HostNameTests {
    @Test(arguments: ["localhost", "127.0.0.1", "::1"])
    func whatResolvesIsKnown(name: String) {
        #expect(!HostName.isUnknown(name))
    }

    /// A label has 63 bytes at most (RFC 1035, section 2.3.4), so that no server needs to be asked.
    @Test func whatCannotBeANameIsUnknown() {
        #expect(HostName.isUnknown(String(repeating: "x", count: 64) + "."))
    }
}
