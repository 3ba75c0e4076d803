import Curl
import Synchronization
import TestSupport
import Testing

/// Destinations are judged by the address that is spoken to.
@Suite struct AddressCheckTests {
    @Test func aRefusedAddressIsNotConnectedTo() async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(request(origin.url()) { $0.allowsAddress = { _ in false } })
            }

            #expect(code == .destinationRefused)
            #expect(origin.connectionCount == 0)
        }
    }

    @Test func aReusedConnectionIsCheckedAgain() async throws {
        try await withOrigin { origin, loop in
            _ = try await loop.start(request(origin.url())).receive(into: RecordingSink())
            let code = await curlCode {
                _ = try await loop.start(request(origin.url()) { $0.allowsAddress = { _ in false } })
            }

            #expect(code == .destinationRefused)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost"])
    func everySpellingOfLoopbackIsLoopback(_ host: String) async throws {
        try await withOrigin { origin, loop in
            let judged = Mutex<Set<String>>([])
            let code = await curlCode {
                _ = try await loop.start(
                    request("http://\(host):\(origin.port)/") {
                        $0.allowsAddress = { address in
                            judged.withLock { _ = $0.insert(address.host) }
                            return false
                        }
                    }
                )
            }

            #expect(code == .destinationRefused)
            #expect(judged.withLock { $0.isSubset(of: ["127.0.0.1", "::1"]) && !$0.isEmpty })
        }
    }

    @Test func aMappedAddressIsShownAsItIs() async throws {
        let loop = TransferLoop()
        let judged = Mutex<[SocketAddress]>([])
        _ = await curlCode {
            _ = try await loop.start(
                request("http://[::ffff:127.0.0.1]:8080/") {
                    $0.allowsAddress = { address in
                        judged.withLock { $0.append(address) }
                        return false
                    }
                }
            )
        }

        let address = try #require(judged.withLock { $0.first })
        #expect(address.family == .ipv6)
        #expect(address.bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1])
        #expect(address.port == 8080)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3:80"), ("::1", "[::1]:80"), ("fe80::1%eth0", "[fe80::1]:80"),
        ("2001:DB8:0:0::1", "[2001:db8::1]:80"),
    ])
    func anAddressHasOneSpelling(_ text: String, _ description: String) {
        #expect(SocketAddress(text, port: 80)?.description == description)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", ":::"])
    func aTextThatIsNoAddressIsNone(_ text: String) {
        #expect(SocketAddress(text, port: 80) == nil)
    }
}
