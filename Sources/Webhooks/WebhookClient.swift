import Curl
import Model
import Synchronization

/// Sends one delivery to its receiver, once.
struct WebhookClient: Sendable {
    let loop: TransferLoop
    let secret: WebhookSecret
    let userAgent: String
    /// Trusted in place of the system's certificates.
    let certificateAuthorityFile: String?
    /// From the request to the end of the answer.
    let timeout: Duration

    /// What the receiver said, or why it said nothing.
    struct Answer: Sendable {
        var status: Int?
        /// The raw `Retry-After` field, and the `Date` that it may refer to.
        var retryAfter: String?
        var date: String?
        /// The receiver's word on later deliveries (`webhook-delivery`).
        var instruction: String?
        var excerpt: [UInt8] = []
        var error: String?
    }

    private static let connectTimeout = Duration.seconds(5)

    func send(_ delivery: DueDelivery, at now: Timestamp) async -> Answer {
        guard let url = try? ParsedURL(delivery.webhook.url.text) else {
            return Answer(error: "the URL cannot be read")
        }
        var request = TransferRequest(url: url)
        request.method = .post(body: delivery.body)
        request.headers = headers(for: delivery, at: now)
        request.connectTimeout = min(Self.connectTimeout, timeout)
        request.headTimeout = timeout
        request.totalTimeout = timeout
        request.certificateAuthorityFile = certificateAuthorityFile
        request.receiveBufferBytes = 16 << 10
        request.gatherBytes = 16 << 10
        do {
            let exchange = try await loop.start(request)
            return await read(exchange)
        } catch {
            return Answer(error: error.description)
        }
    }

    private func headers(for delivery: DueDelivery, at now: Timestamp) -> [HeaderField] {
        [HeaderField("Content-Type", "application/json"), HeaderField("User-Agent", userAgent)]
            + secret.fields(id: delivery.event.text, timestamp: now.seconds, body: delivery.body)
            .map { HeaderField($0.name, $0.value) }
    }

    /// The status decides; of the body only its beginning is kept, for whoever looks into a failure.
    private func read(_ exchange: Exchange) async -> Answer {
        let sink = ExcerptSink()
        // A body that does not end well changes nothing about the status that came before it.
        _ = try? await exchange.receive(into: sink)
        let head = exchange.head
        return Answer(
            status: head.status,
            retryAfter: head.single("Retry-After"),
            date: head.single("Date"),
            instruction: head.single("webhook-delivery"),
            excerpt: sink.excerpt
        )
    }
}

/// Keeps the first bytes of a body, reads a little more so that the connection can be used again, then stops.
private final class ExcerptSink: BodySink {
    private struct State {
        var excerpt: [UInt8] = []
        var count = 0
    }

    private static let keptBytes = 4 << 10
    private static let readBytes = 64 << 10
    private let state = Mutex(State())

    var excerpt: [UInt8] { state.withLock { $0.excerpt } }

    func write(_ bytes: RawSpan) -> SinkVerdict {
        let kept = (0..<min(bytes.byteCount, Self.keptBytes)).map { bytes[$0] }
        let count = bytes.byteCount
        return state.withLock { state in
            state.count += count
            state.excerpt += kept.prefix(Self.keptBytes - state.excerpt.count)
            return state.count > Self.readBytes ? .stop : .taken
        }
    }
}

extension RawSpan {
    fileprivate subscript(index: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
