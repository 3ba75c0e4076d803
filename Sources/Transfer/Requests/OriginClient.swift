import Core
import Curl
import HTTPFields
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Sends requests to origins and follows redirects. Every redirect is checked by the rules, and only the origin of the
/// client's own URL receives the client's header fields.
///
/// A class saves memory: every running request would store several copies of a struct.
final class OriginClient: Sendable {
    let loop: any ExchangeLoop
    /// The loop for requests that share a connection.
    let sharingLoop: @Sendable () throws(CurlError) -> any ExchangeLoop
    /// Makes a loop for one request.
    let singleLoop: @Sendable () throws(CurlError) -> any ExchangeLoop
    private let sharedSettings: SharedSettings
    let names: HostNameCheck
    let credentials: RequestCredentials
    /// The URL whose origin may receive the credentials.
    let credentialURL: DownloadURL
    /// The client's mirrors.
    let mirrors: [DownloadURL]
    /// The present sizes of the buffers.
    let buffers: @Sendable () -> BufferSizes
    let hosts: HostTable
    let download: DownloadID
    /// Whether the requests only ask what there is to download. Their failures are not counted against the host.
    let isProbe: Bool
    let rate: DownloadRate
    let time: TimeSource
    /// The request log; nil for none.
    let log: RequestLog?
    let maxHops = 10

    /// The parts of the engine that send requests.
    struct Transport {
        let loop: any ExchangeLoop
        let sharingLoop: @Sendable () throws(CurlError) -> any ExchangeLoop
        let singleLoop: @Sendable () throws(CurlError) -> any ExchangeLoop
        let names: HostNameCheck
        let hosts: HostTable
        let time: TimeSource
        let buffers: @Sendable () -> BufferSizes
    }

    /// The download or probe that requests are sent for.
    struct Owner {
        let download: DownloadID
        let url: DownloadURL
        let credentials: RequestCredentials
        let rate: DownloadRate
        var mirrors: [DownloadURL] = []
        var isProbe = false
        var log: RequestLog?
    }

    init(_ transport: Transport, settings: SharedSettings, for owner: Owner) {
        loop = transport.loop
        sharingLoop = transport.sharingLoop
        singleLoop = transport.singleLoop
        names = transport.names
        hosts = transport.hosts
        time = transport.time
        buffers = transport.buffers
        sharedSettings = settings
        download = owner.download
        credentialURL = owner.url
        credentials = owner.credentials
        rate = owner.rate
        mirrors = owner.mirrors
        isProbe = owner.isProbe
        log = owner.log
    }

    var settings: EngineSettings { sharedSettings.value }

    /// - Parameters:
    ///   - storedFrom: The final URL of the stored bytes; nil if there are none.
    ///   - posts: Whether to send the client's POST body. If not, the request is a GET.
    func send(
        _ source: DownloadURL,
        for request: SentRequest,
        storedFrom: DownloadURL?,
        posts: Bool = true
    ) async throws(AttemptInterruption) -> Response {
        try await result(of: sending(source, for: request, storedFrom: storedFrom, posts: posts)).get()
    }

    /// A request that is ready to be sent. It is a function so that its large values are not in the frames of those who
    /// wait for the response.
    typealias Sending = @Sendable () async -> Result<Response, AttemptInterruption>

    /// Prepares a request, with the parameters of ``send(_:for:storedFrom:posts:)``.
    @inline(never)
    func sending(
        _ source: DownloadURL,
        for request: SentRequest,
        storedFrom: DownloadURL?,
        posts: Bool = true
    ) -> Sending {
        { await self.response(source, for: request, storedFrom: storedFrom, posts: posts) }
    }

    /// Sends a request.
    func result(of sending: @escaping Sending) async -> Result<Response, AttemptInterruption> {
        // The stack of a task is kept until the task ends, and that of the caller lives as long as the body. A task for
        // the head alone gives 15 KiB back.
        await withTaskGroup(of: Result<Response, AttemptInterruption>.self) { group in
            group.addTask { await sending() }
            return await group.next() ?? .failure(.stopped)
        }
    }

    private func response(
        _ source: DownloadURL,
        for request: SentRequest,
        storedFrom: DownloadURL?,
        posts: Bool
    ) async -> Result<Response, AttemptInterruption> {
        var entry: LoggedRequest?
        do throws(AttemptInterruption) {
            return .success(try await send(source, for: request, storedFrom: storedFrom, posts: posts, &entry))
        } catch {
            entry?.end(error)
            return .failure(error)
        }
    }

    /// - Parameter entry: The log entry of the request, set before it is sent.
    private func send(
        _ source: DownloadURL,
        for request: SentRequest,
        storedFrom: DownloadURL?,
        posts: Bool,
        _ entry: inout LoggedRequest?
    ) async throws(AttemptInterruption) -> Response {
        guard source.isComplete else { throw .failed(Self.invalidURL) }
        var url = source
        // A mirror that redirects to the client's origin must not cause credentials to be sent.
        let isTrusted = source.isSameOrigin(as: credentialURL)
        var options = RequestOptions(source: source, isTrusted: isTrusted, credentials, posts: posts)
        options.isLedByPublicOrigin = isOfMetalink(source)
        let knownHosts = [source.host, storedFrom?.host].compactMap(\.self)
        var hops = 0
        while true {
            let current = url
            let opened = try await open(request, current, options, &entry)
            let (exchange, permit) = (opened.exchange, opened.permit)
            let metadata = metadata(exchange.head, from: current, knownHosts)
            let response = Response(
                exchange: exchange,
                permit: permit,
                metadata: metadata,
                route: Response.Route(source: source, finalURL: current, redirects: hops),
                latency: opened.latency,
                entry: entry
            )
            entry?.recordResponse(exchange.head, metadata)
            guard let location = response.redirectLocation else { return response }
            await exchange.discard()
            permit.recordRedirect()
            hops += 1
            for field in exchange.head.values(of: "Set-Cookie") {
                options.cookies.store(field, from: current, now: metadata.receivedAt)
            }
            url = try follow(location, from: url, hop: hops)
            let peer = exchange.head.remoteAddress.flatMap { IPAddress(bytes: $0.bytes) }
            if let peer, settings.isPublicOrigin(peer) { options.isLedByPublicOrigin = true }
            try options.redirect(response.metadata.status, to: url)
            entry?.follow(to: url, options.method)
        }
    }

    /// Whether a URL is of a Metalink of a public origin. The address of that origin is not known after a restart, so
    /// only a literal tells that it is local.
    private func isOfMetalink(_ source: DownloadURL) -> Bool {
        guard source != credentialURL, !mirrors.contains(source) else { return false }
        return IPAddress.literal(urlHost: credentialURL.host)?.isLocal != true
    }

    /// - Parameter knownHosts: Hosts whose responses do not count as redirected to a new host.
    func metadata(_ head: ResponseHead, from url: DownloadURL, _ knownHosts: [String]) -> OriginResponse {
        OriginResponse(
            head,
            redirectedToNewHost: !knownHosts.contains(url.host),
            receivedAt: HTTPDate(secondsSinceEpoch: time.now.seconds)
        )
    }

    /// Validates a response, and records the success or failure of its host.
    func validate(_ response: Response, request: SentRequest, stored: StoredState) -> ResponseDecision {
        let rules = response.finalURL.rules
        let decision = rules.validate(request: request, stored: stored, response: response.metadata)
        response.permit.record(status: response.metadata.status, decision)
        if case .accept(let acceptance) = decision, request.range == nil, response.finalURL.scheme == "https" {
            hosts.updateVersions(of: response.finalURL.authority) { memory, _ in memory.recordFile(of: acceptance.total)
            }
        }
        recordIfRange(response, decision, request: request, stored: stored)
        response.entry?.recordDecision(decision)
        return decision
    }

    /// Records whether a host honoured the condition of a range. The record belongs to the host before redirects.
    private func recordIfRange(
        _ response: Response,
        _ decision: ResponseDecision,
        request: SentRequest,
        stored: StoredState
    ) {
        guard let form = request.range?.condition.ifRangeForm, stored.validator?.hasBothForms == true else { return }
        let isHonoured = if case .accept = decision { response.metadata.status == 206 } else { false }
        guard isHonoured || decision.hasIgnoredRange else { return }
        hosts.recordIfRange(form, isHonoured: isHonoured, by: response.source.authority)
    }

    func admit(_ url: DownloadURL) throws(AttemptInterruption) -> HostPermit {
        do {
            return try hosts.admit(url.authority, for: download, isProbe: isProbe)
        } catch {
            throw .deferred(error)
        }
    }

    /// The failure for a damaged stored URL.
    static let invalidURL = TransferFailure(
        DownloadError(.internal, message: "The URL is not valid."),
        failureClass: .permanent
    )

    private static func message(_ error: URLParseError) -> String {
        if case .unsupportedScheme = error { return "A redirect leads to a URL that is not http or https." }
        return "The Location of a redirect cannot be used: \(error)"
    }

    private func follow(
        _ location: String,
        from url: DownloadURL,
        hop: Int
    ) throws(AttemptInterruption) -> DownloadURL {
        guard hop <= maxHops else {
            throw .failed(DownloadError(.tooManyRedirects, message: "There are more than \(maxHops) redirects."))
        }
        let next: DownloadURL
        do throws(URLParseError) {
            next = try GivenURL(parsing: location, relativeTo: url).url
        } catch {
            throw .failed(DownloadError(.redirectForbidden, message: Self.message(error)))
        }
        guard let scheme = URLScheme(next.scheme) else { throw .failed(Self.invalidURL) }
        if url.scheme == "https" && next.scheme == "http" {
            throw .failed(DownloadError(.redirectForbidden, message: "A redirect leads from https to http."))
        }
        if settings.destinations.validate(port: next.port, scheme: scheme) != nil {
            throw .failed(
                DownloadError(.destinationForbidden, message: "A redirect leads to a port that is not allowed.")
            )
        }
        return next
    }
}

extension OriginClient {
    /// A response whose body has not been received yet.
    ///
    /// It is a class to save memory, like ``OriginClient``.
    final class Response: Sendable {
        let exchange: Exchange
        let permit: HostPermit
        let metadata: OriginResponse
        private let route: Route
        /// The time from the last request to the head of its response.
        let latency: Duration
        let entry: LoggedRequest?

        init(
            exchange: Exchange,
            permit: HostPermit,
            metadata: OriginResponse,
            route: Route,
            latency: Duration,
            entry: LoggedRequest?
        ) {
            self.exchange = exchange
            self.permit = permit
            self.metadata = metadata
            self.route = route
            self.latency = latency
            self.entry = entry
        }

        /// The URLs from the request to the response.
        struct Route: Sendable {
            let source: DownloadURL
            let finalURL: DownloadURL
            let redirects: Int
        }

        /// The requested source, before redirects.
        var source: DownloadURL { route.source }

        var finalURL: DownloadURL { route.finalURL }

        var redirects: Int { route.redirects }

        /// Ends the transfer without receiving the rest of the body.
        func discard() async {
            await exchange.discard()
            entry?.end(exchange.receivedBytes)
        }

        /// The target of a redirect; nil if the response is no redirect.
        var redirectLocation: String? {
            guard finalURL.abilities.redirects, [301, 302, 303, 307, 308].contains(metadata.status) else { return nil }
            return metadata.location.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
