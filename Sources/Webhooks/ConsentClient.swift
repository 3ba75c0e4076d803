import Curl
import Jobs
import Model
import Transfers

/// Asks endpoints whether they agree to receive events.
struct ConsentClient: Sendable {
    let destinations: WebhookDestinations
    let userAgent: String
    /// Trusted in place of the system's certificates.
    let certificateAuthorityFile: String?

    private static let timeout = Duration.seconds(15)

    /// - Parameters:
    ///   - url: Where events are to go.
    ///   - headers: What goes with each delivery; an endpoint may want it here too.
    /// - Returns: Why nothing is to be sent there; nil where the endpoint agreed.
    func refusal(_ question: ConsentQuestion, url: String, headers: [RequestCredentials.Header]) async -> String? {
        guard let url = try? ParsedURL(url) else { return "The URL cannot be read." }
        var request = TransferRequest(
            toWebhook: url,
            policy: destinations.policy,
            timeout: Self.timeout,
            certificateAuthorityFile: certificateAuthorityFile
        )
        request.method = .options
        request.headers =
            [HeaderField("User-Agent", userAgent)] + question.fields.map { HeaderField($0.name, $0.value) }
            + headers.map { HeaderField($0.name, $0.value) }
        // It is asked seldom: a loop of its own costs less than one that waits for the next time.
        let loop = TransferLoop()
        let answer = await answer(to: request, on: loop)
        await loop.shutdown()
        guard let answer else { return "The endpoint cannot be asked for its consent." }
        guard question.isAgreed(by: answer.single(ConsentQuestion.allowedOriginField)) else {
            return "The endpoint does not answer \(ConsentQuestion.allowedOriginField): \(question.origin)."
        }
        return nil
    }

    private func answer(to request: TransferRequest, on loop: TransferLoop) async -> ResponseHead? {
        guard let exchange = try? await loop.start(request) else { return nil }
        _ = try? await exchange.receive(into: ExcerptSink())
        return exchange.head
    }
}
