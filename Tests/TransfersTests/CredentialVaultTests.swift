import Model
import Testing

@testable import Transfers

struct CredentialVaultTests {
    private let vault = CredentialVault(key: [UInt8](repeating: 7, count: 32))

    static let all = [
        RequestCredentials(),
        RequestCredentials(user: ""),
        RequestCredentials(user: "u", password: ""),
        RequestCredentials(password: "p"),
        RequestCredentials(
            headers: [.init(name: "A", value: ""), .init(name: "B", value: "ü\u{0}\n")],
            user: "=",
            password: "="
        ),
        RequestCredentials(authentication: .basic(username: "", password: "p")),
        RequestCredentials(authentication: .digest(username: "u", password: "")),
        RequestCredentials(
            authentication: .bearer(token: "t"),
            cookies: [.init(name: "a", value: "1"), .init(name: "b", value: "")],
            postBody: [0, 255, 10]
        ),
        RequestCredentials(postBody: []),
        RequestCredentials(proxy: .direct),
        RequestCredentials(proxy: ProxyChoice("socks5h://u:p%40@[::1]:1080")),
        RequestCredentials(headers: [.init(name: "Cookie", value: String(repeating: "x", count: 70_000))]),
    ]

    @Test(arguments: all)
    func whatWasSealedIsOpened(credentials: RequestCredentials) {
        #expect(vault.open(vault.seal(credentials)) == credentials)
    }

    @Test func nothingOfItCanBeRead() {
        let sealed = vault.seal(RequestCredentials(user: "theUser", password: "thePassword"))

        let text = String(decoding: sealed.bytes, as: UTF8.self)
        #expect(!text.contains("theUser") && !text.contains("thePassword"))
    }

    @Test func sealingTwiceGivesOtherBytes() {
        #expect(vault.seal(Self.all[2]) != vault.seal(Self.all[2]))
    }

    @Test func aRequestsCredentialsAreThereOrUnreadableButNeverForgotten() throws {
        let other = CredentialVault(key: [UInt8](repeating: 8, count: 32))
        let credentials = RequestCredentials(user: "u", password: "p")
        var request = DownloadRequest(url: try SourceURL.parse("http://a.example/").url)

        #expect(try other.credentials(of: request) == RequestCredentials())
        request.credentials = vault.seal(credentials)
        #expect(try vault.credentials(of: request) == credentials)
        #expect(throws: UnreadableCredentials.self) { try other.credentials(of: request) }
        #expect(UnreadableCredentials().failure.failureClass == .credentials)
    }

    @Test func anotherKeyOpensNothing() {
        let other = CredentialVault(key: [UInt8](repeating: 8, count: 32))

        #expect(other.open(vault.seal(Self.all[2])) == nil)
    }

    @Test func aDamagedSealOpensNothing() {
        let bytes = vault.seal(Self.all[4]).bytes

        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(vault.open(SealedCredentials(bytes: damaged)) == nil)
            #expect(vault.open(SealedCredentials(bytes: Array(bytes[..<index]))) == nil)
        }
        #expect(vault.open(SealedCredentials(bytes: bytes + [0])) == nil)
    }

    @Test(
        arguments: [
            [0], [0, 0, 0, 1], [255, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]]
    )
    func bytesThatAreNoCredentialsAreNone(bytes: [UInt8]) {
        #expect(CredentialCoder.decode(bytes) == nil)
    }
}
