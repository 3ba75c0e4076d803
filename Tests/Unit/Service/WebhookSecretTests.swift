import Service
import Testing

/// The signature (Standard Webhooks 1.0.0). The first case is that of the specification's own libraries.
struct WebhookSecretTests {
    struct Vector: Sendable {
        let secret: String
        let id: String
        let timestamp: Int64
        let body: String
        let signature: String
    }

    private static let first = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let counting = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let completed = event(#"{"id":"dl_01JGFJJZ00A1B2C3D4E5F6G7H8"}"#)
    private static let unicode = event(#"{"filename":"résumé 📦.bin"}"#)

    private static func event(_ data: String) -> String {
        #"{"type":"download.completed","timestamp":"2026-01-02T03:04:05.678Z","data":\#(data)}"#
    }

    static let vectors = [
        Vector(
            secret: first,
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: #"{"test": 2432232314}"#,
            signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        ),
        Vector(
            secret: first,
            id: "msg_01JGFJJZ00A1B2C3D4E5F6G7H9",
            timestamp: 1_767_323_045,
            body: completed,
            signature: "v1,vWDOfhO6EmE8oG6o2bYVu6QixBDyco5ylEbCHcMQT6A="
        ),
        Vector(
            secret: counting,
            id: "msg_01JGFJJZ00A1B2C3D4E5F6G7H9",
            timestamp: 1_767_323_045,
            body: completed,
            signature: "v1,QhnfeLElrgXDq/L7k0PeDcMsXqI1UUDit2mQ8kEQliI="
        ),
        Vector(
            secret: counting,
            id: "msg_1",
            timestamp: 1_767_323_045,
            body: unicode,
            signature: "v1,SIeRBhqcB9p+GKdtClzROz1ID5NLb7+tu6mCUmDjkWs="
        ),
        Vector(
            secret: counting,
            id: "msg_1",
            timestamp: 1_767_323_045,
            body: "",
            signature: "v1,mCyiwR0EI2C1ozGG34VHwm0nPzDGBDzsqk5vtggC5aY="
        ),
    ]

    @Test(arguments: vectors)
    func theSignatureIsThatOfTheStandard(_ vector: Vector) throws {
        let secret = try #require(WebhookSecret(vector.secret))

        let signature = secret.signature(id: vector.id, timestamp: vector.timestamp, body: Array(vector.body.utf8))

        #expect(signature == vector.signature)
    }

    @Test func thePrefixMayBeMissing() throws {
        let bare = try #require(WebhookSecret(String(Self.counting.dropFirst(6))))
        let whole = try #require(WebhookSecret(Self.counting))

        #expect(bare.signature(id: "a", timestamp: 1, body: []) == whole.signature(id: "a", timestamp: 1, body: []))
    }

    @Test(arguments: [24, 32, 64])
    func aSecretOfAnAllowedLengthIsTaken(_ count: Int) {
        #expect(WebhookSecret(WebhookSecret.text(of: [UInt8](repeating: 9, count: count))) != nil)
    }

    @Test(arguments: [
        "", "whsec_", "whsec_%%%", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRY", WebhookSecret.text(of: [1, 2, 3]),
        WebhookSecret.text(of: [UInt8](repeating: 9, count: 23)),
        WebhookSecret.text(of: [UInt8](repeating: 9, count: 65)),
    ])
    func anythingElseIsNoSecret(_ text: String) {
        #expect(WebhookSecret(text) == nil)
    }
}
