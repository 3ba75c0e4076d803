import Core
import Testing

@Suite struct WebhookKeysTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    @Test func theSecretBeforeSignsUntilItExpires() {
        let keys = WebhookKeys(
            sealed: [1],
            fingerprint: "0a",
            previous: .init(sealed: [2], expiresAt: Self.now + .seconds(60))
        )

        #expect(keys.signing(at: Self.now) == [[1], [2]])
        #expect(keys.signing(at: Self.now + .milliseconds(59_999)) == [[1], [2]])
        #expect(keys.signing(at: Self.now + .seconds(60)) == [[1]])
        #expect(WebhookKeys(sealed: [1], fingerprint: "0a").signing(at: Self.now) == [[1]])
    }

    @Test func aSecretBeforeDoesNotOutliveItsTimeThoughTheClockIsSetBack() {
        let keys = WebhookKeys(
            sealed: [1],
            fingerprint: "0a",
            previous: .init(sealed: [2], expiresAt: Self.now + .seconds(60))
        )

        #expect(keys.signing(at: Self.now - .seconds(8 * 86_400)) == [[1]])
    }
}
