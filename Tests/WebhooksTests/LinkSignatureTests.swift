import Core
import Service
import ServiceSupport
import Testing
import TestSupport

/// Whoever is asked for another link can tell who asks, as the receiver of a webhook can.
@Suite(.timeLimit(.minutes(5)))
struct LinkSignatureTests {
    @Test func aQuestionForALinkIsSignedAsADeliveryIs() async throws {
        let origin = Origin(script: [.page(403)])
        defer { origin.stop() }
        origin.serve("/fresh", Content(size: 1), script: [.page(410)])
        try await withService { service in
            let id = try await service.add(origin.url(), #","refresh_url":"\#(origin.url("/fresh"))""#)
            try await service.wait(id, .failed)

            let question = try #require(origin.deliveries.first)
            let secret = try #require(WebhookSecret(TestService.secretText))
            #expect(question.type == "link.refused" && question.id.hasPrefix("evt_"))
            #expect(
                question.signature
                    == secret.signature(id: question.id, timestamp: question.timestamp, body: question.request.body)
            )
        }
    }
}
