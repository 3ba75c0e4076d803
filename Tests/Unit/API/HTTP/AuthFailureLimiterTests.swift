import Testing

@testable import API

struct AuthFailureLimiterTests {
    private static func count(_ tokens: AuthFailureLimiter, from address: String, at seconds: Int64 = 0) -> Int {
        (0..<100).filter { _ in tokens.add(from: address, elapsed: .seconds(seconds)) == nil }.count
    }

    @Test func eachAddressHasACountOfItsOwn() {
        let tokens = AuthFailureLimiter()

        #expect(Self.count(tokens, from: "192.0.2.1") == 10)
        #expect(Self.count(tokens, from: "192.0.2.2") == 10)
        #expect(Self.count(tokens, from: "2001:db8::1") == 10)
        #expect(Self.count(tokens, from: "2001:db8:0:1::1") == 10)
    }

    /// Whoever has one of them has them all.
    @Test func theAddressesOfOneNetworkOfIPv6CountAsOne() {
        let tokens = AuthFailureLimiter()

        #expect(Self.count(tokens, from: "2001:db8::1") == 10)
        #expect(Self.count(tokens, from: "2001:db8::ffff:1") == 0)
    }

    @Test func oneWrongTokenIsCheckedEverySixSeconds() {
        let tokens = AuthFailureLimiter()

        #expect(Self.count(tokens, from: "a") == 10)
        #expect(Self.count(tokens, from: "a", at: 5) == 0)
        #expect(Self.count(tokens, from: "a", at: 6) == 1)
        #expect(Self.count(tokens, from: "a", at: 20) == 2)
        #expect(Self.count(tokens, from: "a", at: 1000) == 10)
    }

    @Test func aCrowdOfAddressesTakesNoMoreMemory() {
        let tokens = AuthFailureLimiter()

        for number in 0..<10_000 { _ = tokens.add(from: "\(number)", elapsed: .zero) }

        #expect(tokens.count <= 4096)
    }
}
