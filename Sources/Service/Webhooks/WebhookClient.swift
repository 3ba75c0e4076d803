import Core
import Curl
import Synchronization
import Transfer

/// Sends a delivery to its receiver, without retries.
struct WebhookClient: Sendable {
    let loop: any ExchangeLoop
    let vault: CredentialVault
    let signer: DeliverySigner
    let destinations: WebhookDestinations
    let userAgent: String
    /// The certificates to trust instead of the system's.
    let certificateAuthorityFile: String?
    /// The time limit from the start of the request to the end of the response.
    let timeout: Duration

    /// The response of a receiver, or the reason why there is none.
    struct Response: Sendable {
        var status: Int?
        /// The raw `Retry-After` field, and the `Date` that it may refer to.
        var retryAfter: String?
        var date: String?
        /// The receiver's instruction for later deliveries (`webhook-delivery`).
        var instruction: String?
        var excerpt: [UInt8] = []
        var remoteAddress: String?
        /// The header fields of the request, with secrets removed.
        var fields: [DeliveryAttempt.Field] = []
        var error: String?
        /// The actual cause if clients must not know it: only for the log.
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
            // For clients, a name with a forbidden address must look like one that does not exist.
            let unresolved = CurlError(.couldNotResolveHost, message: "Could not resolve host: \(host)")
            return Response(error: unresolved.description, cause: "\(Self.forbidden): \(host)")
        }
    }

    /// The fields whose values are shown. The others are secret: the signature, and those that the client added.
    private static let plainFields: Set<String> = [
        "user-agent", "content-type", "webhook-id", "webhook-timestamp", "webhook-request-origin",
    ]

    private static func shown(_ field: HeaderField) -> DeliveryAttempt.Field {
        let isPlain = plainFields.contains(field.name.lowercased())
        return DeliveryAttempt.Field(name: field.name, value: isPlain ? field.value : redacted)
    }

    /// The origin to which the endpoint has consented, if its consent was requested.
    private func consent(of webhook: Webhook) -> [HeaderField] {
        guard webhook.settings.verification == .cloudEvents, let origin = destinations.origin else { return [] }
        return [HeaderField(ConsentRequest.originField, origin)]
    }

    /// The rules may have changed since the webhook was created.
    private func isAllowed(_ url: DownloadURL) -> Bool { (try? destinations.validate(url, pointer: "/url")) != nil }

    /// The status decides the result. Only the start of the body is kept, to explain failures.
    private func read(_ exchange: Exchange) async -> Response {
        let sink = ExcerptSink()
        // An incomplete body does not change the status that was already received.
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
    /// Whether the webhook belongs to the operator, who may send events anywhere.
    fileprivate var isOperators: Bool { createdBy == .settings }
}

extension TransferRequest {
    /// A request to an endpoint. A redirect is treated as an ordinary response.
    ///
    /// - Parameters:
    ///   - policy: The allowed destinations; nil for any.
    ///   - timeout: The time limit from the start of the request to the end of the response.
    init?(
        toWebhook url: DownloadURL,
        policy: DestinationPolicy?,
        timeout: Duration,
        certificateAuthorityFile: String?
    ) {
        self.init(to: url)
        // A receiver that moves to another address is found there soon, although deliveries follow one another.
        connectionLifetime = .seconds(60)
        connectTimeout = min(.seconds(5), timeout)
        headTimeout = timeout
        totalTimeout = timeout
        self.certificateAuthorityFile = certificateAuthorityFile
        receiveBufferBytes = 16 << 10
        gatherBytes = { 16 << 10 }
        if let policy, let scheme = URLScheme(url.scheme) {
            allowsAddress = { policy.allows($0, scheme: scheme) }
        }
    }
}

/// Keeps the first bytes of a body. Reads a little more so that the connection can be reused, then stops.
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
