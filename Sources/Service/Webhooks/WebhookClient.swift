import Core
import Curl
import Synchronization
import Transfer

/// Sends one delivery to its receiver, once.
struct WebhookClient: Sendable {
    let loop: TransferLoop
    let vault: CredentialVault
    let signer: DeliverySigner
    let destinations: WebhookDestinations
    let userAgent: String
    /// Trusted in place of the system's certificates.
    let certificateAuthorityFile: String?
    /// From the request to the end of the answer.
    let timeout: Duration

    /// The answer of a receiver, or why there is none.
    struct Response: Sendable {
        var status: Int?
        /// The raw `Retry-After` field, and the `Date` that it may refer to.
        var retryAfter: String?
        var date: String?
        /// The receiver's word on later deliveries (`webhook-delivery`).
        var instruction: String?
        var excerpt: [UInt8] = []
        var remoteAddress: String?
        /// What was asked with, as it may be shown.
        var fields: [DeliveryAttempt.Field] = []
        var error: String?
        /// What really failed, where a client is not to know it: for the log alone.
        var cause: String?
    }

    private static let forbidden = "destination_forbidden"
    private static let redacted = "REDACTED"

    func send(_ delivery: DueDelivery, at now: Timestamp) async -> Response {
        guard let url = try? vault.open(delivery.webhook.settings.url) else {
            return Response(error: "its URL cannot be read with the service's present key")
        }
        let endpoint = TransferRequest(
            toWebhook: url,
            policy: delivery.webhook.isOperators ? nil : destinations.policy,
            timeout: timeout,
            certificateAuthorityFile: certificateAuthorityFile
        )
        guard var request = endpoint else { return Response(error: "the URL cannot be read") }
        guard let fields = signer.fields(of: delivery, at: now) else {
            return Response(error: "its secret cannot be decrypted with the current key")
        }
        guard delivery.webhook.isOperators || isAllowed(url) else { return Response(error: Self.forbidden) }
        request.method = .post(body: delivery.body)
        request.headers = [HeaderField("User-Agent", userAgent)] + consent(of: delivery.webhook) + fields
        var response = await response(to: request)
        response.fields = request.headers.map(Self.shown)
        return response
    }

    private func response(to request: TransferRequest) async -> Response {
        do {
            return await read(try await loop.start(request))
        } catch {
            guard error.code == .destinationRefused else { return Response(error: error.description) }
            let host = request.url.host
            guard IPAddress(urlHost: host) == nil else { return Response(error: Self.forbidden) }
            // A name with a forbidden address must look like one that does not exist.
            let unresolved = CurlError(.couldNotResolveHost, message: "Could not resolve host: \(host)")
            return Response(error: unresolved.description, cause: "\(Self.forbidden): \(host)")
        }
    }

    /// The values of the other fields are secret: the signature, and what the webhook's client added.
    private static let plainFields: Set<String> = [
        "user-agent", "content-type", "webhook-id", "webhook-timestamp", "webhook-request-origin",
    ]

    private static func shown(_ field: HeaderField) -> DeliveryAttempt.Field {
        let isPlain = plainFields.contains(field.name.lowercased())
        return DeliveryAttempt.Field(name: field.name, value: isPlain ? field.value : redacted)
    }

    /// The name for which the endpoint has consented, if it was asked.
    private func consent(of webhook: Webhook) -> [HeaderField] {
        guard webhook.settings.verification == .cloudEvents, let origin = destinations.origin else { return [] }
        return [HeaderField(ConsentRequest.originField, origin)]
    }

    /// What was allowed when the webhook was made may not be now.
    private func isAllowed(_ url: DownloadURL) -> Bool { (try? destinations.validate(url, pointer: "/url")) != nil }

    /// The status decides. Only the beginning of the body is kept, to explain failures.
    private func read(_ exchange: Exchange) async -> Response {
        let sink = ExcerptSink()
        // A body that does not end well changes nothing about the status that came before it.
        _ = try? await exchange.receive(into: sink)
        let head = exchange.head
        return Response(
            status: head.status,
            retryAfter: head.single("Retry-After"),
            date: head.single("Date"),
            instruction: head.single("webhook-delivery"),
            excerpt: sink.excerpt,
            remoteAddress: head.remoteAddress?.host
        )
    }
}

extension Webhook {
    /// Whether the operator named it, who may send events wherever it likes.
    fileprivate var isOperators: Bool { createdBy == .settings }
}

extension TransferRequest {
    /// A request to an endpoint. A redirect is an answer like any other.
    ///
    /// - Parameters:
    ///   - policy: Where it may go; nil for anywhere.
    ///   - timeout: From the request to the end of the answer.
    init?(
        toWebhook url: DownloadURL,
        policy: DestinationPolicy?,
        timeout: Duration,
        certificateAuthorityFile: String?
    ) {
        self.init(to: url)
        connectTimeout = min(.seconds(5), timeout)
        headTimeout = timeout
        totalTimeout = timeout
        self.certificateAuthorityFile = certificateAuthorityFile
        receiveBufferBytes = 16 << 10
        gatherBytes = 16 << 10
        if let policy, let scheme = URLScheme(url.scheme) {
            allowsAddress = { policy.allows($0, scheme: scheme) }
        }
    }
}

/// Keeps the first bytes of a body, reads a little more so that the connection can be used again, then stops.
final class ExcerptSink: BodySink {
    private struct State {
        var excerpt: [UInt8] = []
        var count = 0
    }

    private static let excerptLimit = 4 << 10
    private static let readBytes = 64 << 10
    private let state = Mutex(State())

    var excerpt: [UInt8] { state.withLock { $0.excerpt } }

    func write(_ bytes: RawSpan) -> SinkResult {
        let head = (0..<min(bytes.byteCount, Self.excerptLimit)).map { bytes[$0] }
        let count = bytes.byteCount
        return state.withLock { state in
            state.count += count
            state.excerpt += head.prefix(Self.excerptLimit - state.excerpt.count)
            return state.count > Self.readBytes ? .stop : .taken
        }
    }
}

extension RawSpan {
    fileprivate subscript(index: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
