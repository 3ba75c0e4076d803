import Core
import Curl
import TestSupport
import Testing
import TransferRules

@testable import Transfer

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
    func sealedCredentialsAreOpened(credentials: RequestCredentials) {
        #expect(vault.open(vault.seal(credentials)) == credentials)
    }

    @Test(arguments: [
        "https://a.example", "https://a.example/", "https://a.example/p?", "https://a.example/p?q",
        "https://a.example:8443/p/q?x=1&y=2", "ftp://a.example/f",
    ])
    func aURLThatWasSealedIsOpened(_ text: String) throws {
        let url = DownloadURL(normalized: text)
        for part in [SealedURL.SecretPart.query, .path] {
            let sealed = vault.seal(url, hiding: part)

            #expect(try vault.open(sealed) == url)
            #expect(vault.seal(url, hiding: part) == sealed, "equal URLs have equal sealings")
            #expect(vault.seal(sealed, hiding: part) == sealed, "what is sealed is not sealed again")
        }
    }

    @Test func theSecretPartOfAURLCannotBeReadNorMovedToAnother() throws {
        let sealed = vault.seal("https://a.example/p?token=canary")
        let (shown, encrypted) = try #require(SealedURL.parts(of: sealed.text))

        #expect(shown == "https://a.example/p?")
        #expect(!sealed.text.contains("canary") && !sealed.text.contains("token"))
        #expect(throws: UnreadableCredentials.self) {
            let moved = SealedURL.join(shown: "https://b.example/p?", encrypted: String(encrypted))
            return try vault.open(DownloadURL(normalized: moved))
        }
        #expect(throws: UnreadableCredentials.self) {
            try CredentialVault(key: [UInt8](repeating: 8, count: 32)).open(sealed)
        }
        #expect(vault.seal("https://a.example/p?token=canarz") != sealed)
    }

    @Test func sealedCredentialsAreNotReadable() {
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
        var request = DownloadRequest(url: try GivenURL(parsing: "http://a.example/").url)

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
