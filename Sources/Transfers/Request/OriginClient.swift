import Curl
import Model

/// Asks the origin, following redirects itself: each hop is held to the rules, and only the origin of the client's own
/// URL sees the client's headers.
struct OriginClient {
    let loop: TransferLoop
    let settings: EngineSettings
    let names: NameCheck
    let credentials: RequestCredentials
    /// The URL whose origin the credentials are for.
    let credentialURL: SourceURL
    let buffers: BufferSizes
    let hosts: HostTable
    let download: DownloadID
    let maxHops = 10

    /// An answer whose body has not been taken.
    struct Answer {
        let exchange: Exchange
        let pass: HostPass
        let response: OriginResponse
        let finalURL: SourceURL
        let redirects: Int
        /// The time from the last request to the head of its answer.
        let latency: Duration
    }

    /// - Parameter storedFrom: The address that the bytes at hand came from; nil where there are none.
    func ask(
        _ source: SourceURL,
        for asked: RequestAsked,
        storedFrom: String?,
        now: Timestamp
    ) async throws(AttemptInterruption) -> Answer {
        var url = try parse(source)
        let knownHosts = [source.host] + (storedFrom.flatMap { try? ParsedURL($0).host }.map { [$0] } ?? [])
        // A mirror that redirects to the client's origin does not speak in its name.
        let isTrusted = source.isSameOrigin(as: credentialURL)
        var hops = 0
        while true {
            let current = SourceURL(url)
            let began = ContinuousClock.now
            let pass = try admit(current)
            let exchange = try await send(
                asked,
                to: url,
                pass,
                isOwnOrigin: isTrusted && current.isSameOrigin(as: source)
            )
            let answer = Answer(
                exchange: exchange,
                pass: pass,
                response: OriginResponse(
                    exchange.head,
                    redirectedToNewHost: !knownHosts.contains(current.host),
                    receivedAt: HTTPDate(secondsSinceEpoch: now.seconds)
                ),
                finalURL: current,
                redirects: hops,
                latency: ContinuousClock.now - began
            )
            guard let location = answer.redirectLocation else {
                try requireReadableLength(exchange.head)
                return answer
            }
            await exchange.discard()
            pass.noteSuccess()
            hops += 1
            url = try follow(location, from: url, hop: hops)
        }
    }

    /// Lets the gate judge an answer, and the host's governor know what it says of the host.
    func judge(_ answer: Answer, asked: RequestAsked, stored: StoredState) -> GateDecision {
        let decision = ResponseGate.judge(asked: asked, stored: stored, response: answer.response)
        answer.pass.note(status: answer.response.status, decision)
        return decision
    }

    private func admit(_ url: SourceURL) throws(AttemptInterruption) -> HostPass {
        do {
            return try hosts.admit(url.authority, for: download)
        } catch {
            throw .held(error)
        }
    }

    /// libcurl reads the digits that a length begins with, and takes one of two that differ: either would make a
    /// part of the file pass for the whole (RFC 9112, section 6.3: an unrecoverable error).
    private func requireReadableLength(_ head: ResponseHead) throws(AttemptInterruption) {
        guard !head.isLengthReadable else { return }
        throw .failed(
            DownloadError(.badResponse, message: "The answer's length cannot be read.", httpStatus: head.status)
        )
    }

    private func parse(_ source: SourceURL) throws(AttemptInterruption) -> ParsedURL {
        do {
            return try ParsedURL(source.text)
        } catch {
            throw .failed(
                TransferFailure(DownloadError(.internal, message: "The URL cannot be read."), failureClass: .permanent)
            )
        }
    }

    private func follow(_ location: String, from url: ParsedURL, hop: Int) throws(AttemptInterruption) -> ParsedURL {
        guard hop <= maxHops else {
            throw .failed(DownloadError(.tooManyRedirects, message: "There are more than \(maxHops) redirects."))
        }
        guard let next = try? url.resolving(location) else {
            throw .failed(
                DownloadError(
                    .redirectForbidden,
                    message: "A redirect leads to something that is no http or https URL."
                )
            )
        }
        if url.scheme == .https && next.scheme == .http {
            throw .failed(DownloadError(.redirectForbidden, message: "A redirect leads from https to http."))
        }
        if settings.destinations.judge(port: next.port, scheme: URLScheme(next.scheme)) != nil {
            throw .failed(
                DownloadError(.destinationForbidden, message: "A redirect leads to a port that is not allowed.")
            )
        }
        return next
    }

    private func send(
        _ asked: RequestAsked,
        to url: ParsedURL,
        _ pass: HostPass,
        isOwnOrigin: Bool
    ) async throws(AttemptInterruption) -> Exchange {
        var request = TransferRequest(url: url)
        request.headers = headers(for: asked, isOwnOrigin: isOwnOrigin)
        request.range = asked.range.map { range in range.last.map { .bytes(range.first...$0) } ?? .from(range.first) }
        if isOwnOrigin, let user = credentials.user {
            request.credentials = .init(user: user, password: credentials.password ?? "")
        }
        request.receiveBufferBytes = buffers.receive
        request.gatherBytes = buffers.gather
        request.certificateAuthorityFile = settings.certificateAuthorityFile
        let destinations = settings.destinations
        let scheme = URLScheme(url.scheme)
        request.onClose = { pass.close() }
        request.judge = { destinations.allows($0, scheme: scheme) }
        do {
            return try await loop.start(request)
        } catch {
            pass.close()
            if error.code == .aborted { throw .stopped }
            let isUnknown = error.code == .couldNotResolveHost ? await names.isUnknown(url.host) : false
            let failure = TransferFailure(error, stage: .header, nameDoesNotExist: isUnknown)
            // CURLE_SEND_ERROR, CURLE_RECV_ERROR: reset before an answer, as by a host that has too many connections.
            pass.note(failure, isReset: error.code == .curl(55) || error.code == .curl(56))
            throw .failed(failure)
        }
    }

    /// The same on every request of a download but for the range, so that no intermediary has a reason to vary.
    private func headers(for asked: RequestAsked, isOwnOrigin: Bool) -> [HeaderField] {
        let own = isOwnOrigin ? credentials.headers.map { HeaderField($0.name, $0.value) } : []
        let names = Set(own.map { $0.name.lowercased() })
        let standard = [
            HeaderField("User-Agent", settings.userAgent),
            HeaderField("Accept", "*/*"),
        ].filter { !names.contains($0.name.lowercased()) }
        return standard + [HeaderField("Accept-Encoding", "identity")] + own + condition(of: asked)
    }

    private func condition(of asked: RequestAsked) -> [HeaderField] {
        switch asked.range?.condition {
        case .ifRange(let tag): [HeaderField("If-Range", tag.fieldValue)]
        case .ifRangeDate(let date): [HeaderField("If-Range", date.fieldValue)]
        case .ifUnmodifiedSince(let date): [HeaderField("If-Unmodified-Since", date.fieldValue)]
        case .some(.none), nil: []
        }
    }
}

extension OriginClient.Answer {
    /// Where this answer sends the client; nil if it is to be judged itself.
    fileprivate var redirectLocation: String? {
        guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
        return response.location.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension DestinationPolicy {
    /// Judges the address that libcurl is about to connect to.
    fileprivate func allows(_ address: SocketAddress, scheme: URLScheme) -> Bool {
        guard let ip = IPAddress(bytes: address.bytes) else { return false }
        return judge(ip, port: address.port, scheme: scheme) == nil
    }
}

extension URLScheme {
    fileprivate init(_ scheme: ParsedURL.Scheme) {
        switch scheme {
        case .http: self = .http
        case .https: self = .https
        }
    }
}
