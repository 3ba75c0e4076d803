import Foundation
import ServiceSupport
import TestSupport
import Testing

/// docs/examples/Verification.swift, which is a file of this target too, on a delivery of the service.
@Suite(.hangLimit)
struct VerificationExampleTests {
    private static let secret = TestService.secretText

    /// A delivery that the service signed with ``secret``.
    private static func delivery() async throws -> ReceivedDelivery {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(Content(size: 100), script: [.page(204)])
        defer { for server in [origin, receiver] { server.stop() } }
        return try await withService(.with { $0.webhookURL = receiver.url("/hook") }) { service in
            try await service.add(origin.url("/a.bin"))
            return try #require(await receiver.deliveries(atLeast: 1).first)
        }
    }

    /// - Parameters:
    ///   - age: How many seconds after it was sent it is looked at.
    ///   - changed: Fields in place of its own.
    private static func isTaken(
        _ delivery: ReceivedDelivery,
        body: [UInt8]? = nil,
        secret: String = secret,
        age: Int64 = 0,
        changed: [String: String?] = [:]
    ) -> Bool {
        isSigned(
            body: Data(body ?? delivery.request.body),
            headers: { name in changed[name] ?? delivery.request.value(of: name) },
            secret: secret,
            now: Date(timeIntervalSince1970: Double(delivery.timestamp + age))
        )
    }

    @Test func anExampleReceiverAcceptsOnlySignedRequests() async throws {
        let delivery = try await Self.delivery()
        let other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

        #expect(Self.isTaken(delivery))
        #expect(Self.isTaken(delivery, secret: String(Self.secret.dropFirst(6))))
        #expect(Self.isTaken(delivery, changed: ["webhook-signature": "\(other) \(delivery.signature)"]))
        #expect(!Self.isTaken(delivery, body: delivery.request.body + [32]))
        #expect(!Self.isTaken(delivery, secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))
        #expect(!Self.isTaken(delivery, changed: ["webhook-id": "evt_other"]))
        #expect(!Self.isTaken(delivery, changed: ["webhook-timestamp": "\(delivery.timestamp + 1)"]))
        #expect(!Self.isTaken(delivery, changed: ["webhook-signature": other]))
        for field in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            #expect(!Self.isTaken(delivery, changed: [field: nil]))
        }
    }

    @Test func aSignatureOlderThanFiveMinutesIsRefused() async throws {
        let delivery = try await Self.delivery()

        #expect(Self.isTaken(delivery, age: 300) && Self.isTaken(delivery, age: -300))
        #expect(!Self.isTaken(delivery, age: 301) && !Self.isTaken(delivery, age: -301))
    }
}
