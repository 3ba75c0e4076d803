import Core
import Curl
import HTTPFields
import TransferRules

/// Sends a single request of a redirect chain.
extension OriginClient {
    /// The options for all requests of one redirect chain.
    struct RequestOptions {
        let source: DownloadURL
        /// Whether credentials may be sent, to the origin of ``source`` only.
        private let isTrusted: Bool
        /// The body of a POST; nil for a GET.
        private(set) var body: [UInt8]?
        /// Whether a redirect changed the POST to a GET.
        private(set) var lostBody = false
        /// Whether the request fetches a small document for which a file waits.
        let isDocument: Bool
        /// Whether a public origin led to the URL, by a redirect or a Metalink.
        var isLedByPublicOrigin = false
        var cookies: CookieJar

        init(source: DownloadURL, isTrusted: Bool, _ credentials: RequestCredentials, posts: Bool) {
            self.source = source
            self.isTrusted = isTrusted
            isDocument = !posts
            body = isTrusted && posts ? credentials.postBody : nil
            cookies = CookieJar(isTrusted ? credentials.cookies : [], for: source)
        }

        var method: RequestMethod { body == nil ? .get : .post }

        func trusts(_ url: DownloadURL) -> Bool { isTrusted && url.isSameOrigin(as: source) }

        /// 307 and 308 keep the method and body; other redirects change the request to a GET (RFC 9110, section 15.4).
        /// A body is sent only to the origin that it was given for.
        mutating func redirect(_ status: Int, to url: DownloadURL) throws(AttemptInterruption) {
            guard body != nil else { return }
            guard status == 307 || status == 308 else {
                body = nil
                lostBody = true
                return
            }
            guard !url.isSameOrigin(as: source) else { return }
            throw .failed(
                DownloadError(
                    .redirectForbidden,
                    message: "A redirect would send the body of the POST to another origin."
                )
            )
        }
    }

    func start(
        _ sent: SentRequest,
        to url: DownloadURL,
        _ permit: HostPermit,
        _ options: RequestOptions,
        _ version: TransferRequest.VersionPreference
    ) async throws(AttemptInterruption) -> Exchange {
        guard var request = TransferRequest(to: url) else { throw .failed(Self.invalidURL) }
        let isOwnOrigin = options.trusts(url)
        request.headers = headers(for: sent, to: url, options, isOwnOrigin: isOwnOrigin)
        request.range = sent.range.map { range in range.last.map { .bytes(range.first...$0) } ?? .from(range.first) }
        if let body = options.body { request.method = .post(body: body) }
        if isOwnOrigin { request.credentials = credentials.transferCredentials }
        request.receiveBufferBytes = buffers().receive
        request.gatherBytes = { [buffers] in buffers().gather }
        request.lowSpeedLimit = .init(bytesPerSecond: settings.leastPace, window: settings.slowTime)
        request.setCertificates(settings)
        request.onClose = { permit.close() }
        request.allowedSchemes = [request.scheme]
        request.knownHostsFile = settings.knownHostsFile
        let abilities = url.abilities
        request.connectTimeout = settings.connectTimeout
        let route = try settings.route(for: request, choice: credentials.proxy)
        if options.isLedByPublicOrigin { try checkLead(to: url) }
        request.setRoute(route, settings.destinations, isLed: options.isLedByPublicOrigin)
        // libcurl sends HTTP/3 through no proxy.
        request.versionPreference = version == .http3 && route != .direct ? .http1 : version
        let exchange: Exchange
        do {
            exchange = try await loop(version, blocksThread: abilities.blocksThread).start(request)
        } catch {
            // The connection counts as open until its result has been recorded.
            defer { permit.close() }
            if error.code == .aborted { throw .stopped }
            // A proxy failure says nothing about the origin's host.
            if let failure = TransferFailure(error, route) { throw .failed(failure) }
            if error.code == .destinationRefused, options.isLedByPublicOrigin, !settings.destinations.isPublicOnly {
                throw .failed(Self.localLead(to: url))
            }
            // A forbidden destination is queried too, so that both failures take the same time.
            let isNameInDoubt = error.code == .couldNotResolveHost || error.code == .destinationRefused
            let name = isNameInDoubt ? await names.check(url.host) : .notChecked
            let failure = TransferFailure(beforeResponse: error, host: url.host, name)
            // A lack of local resources is not the host's fault.
            if error.code == .outOfResources { throw .failed(failure) }
            if error.isVersionRefused, version == .http1 {
                hosts.updateVersions(of: permit.authority) { $0.recordHTTP1Refusal(at: $1) }
                throw .failed(failure)
            }
            // A reset before the response, for example by a host with too many connections.
            permit.record(failure, at: .header, isReset: error.isLostConnection)
            throw .failed(failure.retryAfter == nil ? failure : failure.by(host: url))
        }
        guard let failure = TransferFailure(exchange.head, route) else { return exchange }
        await exchange.discard()
        throw .failed(failure)
    }

    /// Checks an address in a URL to which a public origin led. The address of a name is checked when connecting; for
    /// this one libcurl may use an open connection.
    private func checkLead(to url: DownloadURL) throws(AttemptInterruption) {
        guard let address = IPAddress.literal(urlHost: url.host) else { return }
        guard settings.destinations.allowsLead(to: address) else { throw .failed(Self.localLead(to: url)) }
    }

    private static func localLead(to url: DownloadURL) -> TransferFailure {
        TransferFailure(
            DownloadError(
                .destinationForbidden,
                message: "A public origin leads to \(url.host), which is an address of this machine or its links. "
                    + "The setting allow_destinations can allow it."
            )
        )
    }

    /// libcurl blocks its thread while it waits for some responses of FTP and SSH servers. Each of these transfers
    /// therefore gets its own thread.
    private func loop(
        _ version: TransferRequest.VersionPreference,
        blocksThread: Bool
    ) throws(CurlError) -> any ExchangeLoop {
        if blocksThread { return try singleLoop() }
        return version == .negotiated ? try sharingLoop() : loop
    }

    /// All requests of a download have the same header fields except for the range, so that an intermediary does not
    /// vary its response.
    private func headers(
        for sent: SentRequest,
        to url: DownloadURL,
        _ options: RequestOptions,
        isOwnOrigin: Bool
    ) -> [HeaderField] {
        var own = isOwnOrigin ? credentials.headers.map { HeaderField($0.name, $0.value) } : []
        // Fields that describe a body are removed with the body (RFC 9110, section 15.4).
        if options.lostBody { own.removeAll { $0.name.lowercased().hasPrefix("content-") } }
        if isOwnOrigin, case .bearer(let token) = credentials.authentication {
            own.append(HeaderField("Authorization", "Bearer \(token)"))
        }
        own.add(cookies: options.cookies.fieldValue(for: url))
        let standard = [
            HeaderField("User-Agent", settings.userAgent),
            HeaderField("Accept", "*/*"),
        ].filter { standard in !own.contains { $0.isNamed(standard.name) } }
        return standard + [HeaderField("Accept-Encoding", "identity")] + own + condition(of: sent) + known(by: sent)
    }

    private func known(by sent: SentRequest) -> [HeaderField] {
        [
            sent.known?.etag.map { HeaderField("If-None-Match", $0.fieldValue) },
            sent.known?.lastModified.map { HeaderField("If-Modified-Since", $0.fieldValue) },
        ].compactMap(\.self)
    }

    private func condition(of sent: SentRequest) -> [HeaderField] {
        switch sent.range?.condition {
        case .ifRange(let tag): [HeaderField("If-Range", tag.fieldValue)]
        case .ifRangeDate(let date): [HeaderField("If-Range", date.fieldValue)]
        case .ifUnmodifiedSince(let date): [HeaderField("If-Unmodified-Since", date.fieldValue)]
        case .some(.none), nil: []
        }
    }
}

extension [HeaderField] {
    /// Adds cookies to the only `Cookie` field that a request may have (RFC 6265, section 5.4).
    fileprivate mutating func add(cookies: String?) {
        guard let cookies else { return }
        guard let index = firstIndex(where: { $0.isNamed("Cookie") }) else {
            append(HeaderField("Cookie", cookies))
            return
        }
        self[index] = HeaderField(self[index].name, "\(self[index].value); \(cookies)")
    }
}

extension RequestCredentials {
    /// The credentials that libcurl sends; nil if there are none or they are sent in a header field.
    fileprivate var transferCredentials: TransferRequest.Credentials? {
        switch authentication {
        case .basic(let user, let password): .init(.basic, user: user, password: password)
        case .digest(let user, let password): .init(.digest, user: user, password: password)
        case .bearer: nil
        case nil: user.map { .init(.basic, user: $0, password: password ?? "") }
        }
    }
}
