import Core
import Curl
import Synchronization
import Transfer

/// Requests the consent of endpoints to receive events.
final class ConsentClient: Sendable {
    private let destinations: WebhookDestinations
    private let userAgent: String
    private let certificateAuthorityFile: String?
    private let network: Network
    private let underWay = Mutex(0)

    private static let timeout = Duration.seconds(15)
    /// The maximum number of concurrent requests. Each needs a thread, and an endpoint may respond slowly.
    static let limit = 8

    /// - Parameter certificateAuthorityFile: The certificates to trust instead of the system's.
    init(destinations: WebhookDestinations, userAgent: String, certificateAuthorityFile: String?, network: Network) {
        self.destinations = destinations
        self.userAgent = userAgent
        self.certificateAuthorityFile = certificateAuthorityFile
        self.network = network
    }

    /// - Parameters:
    ///   - url: The URL for events.
    ///   - headers: The header fields of deliveries, which an endpoint may require here too.
    /// - Returns: The reason why the endpoint did not consent; nil if it did.
    /// - Throws: `overloaded` if the maximum number of requests is in flight, or no thread or descriptor is available.
    func refusal(
        _ consentRequest: ConsentRequest,
        url: DownloadURL,
        headers: [RequestCredentials.Header]
    ) async throws -> String? {
        let endpoint = TransferRequest(
            toWebhook: url,
            policy: destinations.policy,
            timeout: Self.timeout,
            certificateAuthorityFile: certificateAuthorityFile
        )
        guard var request = endpoint else { return "The URL is not valid." }
        let isOneTooMany = underWay.withLock { count in
            count += 1
            return count > Self.limit
        }
        defer { underWay.withLock { $0 -= 1 } }
        guard !isOneTooMany, let loop = try? network.makeSingleLoop() else { throw ServiceError.overloaded }
        request.method = .options
        request.headers =
            [HeaderField("User-Agent", userAgent)] + consentRequest.fields.map { HeaderField($0.name, $0.value) }
            + headers.map { HeaderField($0.name, $0.value) }
        let response = await response(to: request, on: loop)
        await loop.shutdown()
        guard let response else { return "The request for the endpoint's consent failed." }
        guard consentRequest.isAgreed(by: response.single(ConsentRequest.allowedOriginField)) else {
            return
                "The endpoint did not consent: expected \(ConsentRequest.allowedOriginField): \(consentRequest.origin)."
        }
        return nil
    }

    private func response(to request: TransferRequest, on loop: any ExchangeLoop) async -> ResponseHead? {
        guard let exchange = try? await loop.start(request) else { return nil }
        _ = try? await exchange.receive(into: ExcerptSink())
        return exchange.head
    }
}
