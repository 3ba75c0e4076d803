import Curl
import Model

/// Asks the origin, following redirects itself: each hop is held to the rules, and only the origin of the client's own
/// URL sees the client's headers.
///
/// It is a class for the sake of memory: each request that is under way would hold several copies of a value.
final class OriginClient: Sendable {
    let loop: TransferLoop
    /// The one for requests that share a connection.
    let sharingLoop: @Sendable () throws(CurlError) -> TransferLoop
    let settings: EngineSettings
    let names: NameCheck
    let credentials: RequestCredentials
    /// The URL whose origin the credentials are for.
    let credentialURL: SourceURL
    let buffers: BufferSizes
    let hosts: HostTable
    let download: DownloadID
    let rate: DownloadRate
    let time: TimeSource
    /// Where the requests are accounted for; nil where nobody keeps the account.
    let log: RequestLog?
    let maxHops = 10

    init(
        loop: TransferLoop,
        sharingLoop: @escaping @Sendable () throws(CurlError) -> TransferLoop,
        settings: EngineSettings,
        names: NameCheck,
        credentials: RequestCredentials,
        credentialURL: SourceURL,
        buffers: BufferSizes,
        hosts: HostTable,
        download: DownloadID,
        rate: DownloadRate,
        time: TimeSource,
        log: RequestLog?
    ) {
        self.loop = loop
        self.sharingLoop = sharingLoop
        self.settings = settings
        self.names = names
        self.credentials = credentials
        self.credentialURL = credentialURL
        self.buffers = buffers
        self.hosts = hosts
        self.download = download
        self.rate = rate
        self.time = time
        self.log = log
    }

    /// - Parameters:
    ///   - storedFrom: The address that the bytes at hand came from; nil where there are none.
    ///   - posts: Whether a body that the client gave is sent; without it the request is a GET.
    func ask(
        _ source: SourceURL,
        for asked: RequestAsked,
        storedFrom: String?,
        posts: Bool = true
    ) async throws(AttemptInterruption) -> Answer {
        var entry: LoggedRequest?
        do throws(AttemptInterruption) {
            return try await ask(source, for: asked, storedFrom: storedFrom, posts: posts, &entry)
        } catch {
            entry?.end(error)
            throw error
        }
    }

    /// - Parameter entry: The request's, once it is about to be sent.
    private func ask(
        _ source: SourceURL,
        for asked: RequestAsked,
        storedFrom: String?,
        posts: Bool,
        _ entry: inout LoggedRequest?
    ) async throws(AttemptInterruption) -> Answer {
        var url = try parse(source)
        // A mirror that redirects to the client's origin does not speak in its name.
        let isTrusted = source.isSameOrigin(as: credentialURL)
        var call = Call(source: source, isTrusted: isTrusted, credentials, posts: posts)
        let knownHosts =
            [source.host]
            + (storedFrom.flatMap { try? ParsedURL($0, schemes: ParsedURL.Scheme.all).host }.map { [$0] } ?? [])
        var hops = 0
        while true {
            let current = SourceURL(url)
            let reply = try await converse(asked, url, call, &entry)
            let (exchange, pass) = (reply.exchange, reply.pass)
            let response = response(exchange.head, from: current, knownHosts)
            let answer = Answer(
                exchange: exchange,
                pass: pass,
                response: response,
                file: FileAnswer(exchange.head, receivedAt: response.receivedAt),
                source: source,
                finalURL: current,
                redirects: hops,
                latency: reply.latency,
                entry: entry
            )
            entry?.answer(exchange.head, response)
            guard let location = answer.redirectLocation else {
                try requireReadableLength(exchange.head, response)
                return answer
            }
            await exchange.discard()
            pass.noteRedirect()
            hops += 1
            for field in exchange.head.values(of: "Set-Cookie") {
                call.cookies.take(field, from: current, now: response.receivedAt)
            }
            url = try follow(location, from: url, hop: hops)
            try call.redirect(answer.response.status, to: SourceURL(url))
            entry?.follow(to: SourceURL(url), call.method)
        }
    }

    /// - Parameter knownHosts: Those that an answer may come from without being another host's.
    func response(_ head: ResponseHead, from url: SourceURL, _ knownHosts: [String]) -> OriginResponse {
        OriginResponse(
            head,
            redirectedToNewHost: !knownHosts.contains(url.host),
            receivedAt: HTTPDate(secondsSinceEpoch: time.now.seconds)
        )
    }

    /// Lets the gate judge an answer, and the host's governor know what it says of the host.
    func judge(_ answer: Answer, asked: RequestAsked, stored: StoredState) -> GateDecision {
        let decision =
            if let file = answer.file {
                FileGate.judge(asked: asked, stored: stored, answer: file)
            } else {
                ResponseGate.judge(asked: asked, stored: stored, response: answer.response)
            }
        answer.pass.note(status: answer.response.status, decision)
        if case .accept(let acceptance) = decision, asked.range == nil, answer.finalURL.scheme == "https" {
            hosts.noteVersions(of: answer.finalURL.authority) { memory, _ in memory.noteFile(of: acceptance.total) }
        }
        noteIfRange(answer, decision, asked: asked, stored: stored)
        answer.entry?.judge(decision)
        return decision
    }

    /// Remembers whether a host looked at the condition of a range. It is stored under the name by which the host was
    /// asked.
    private func noteIfRange(_ answer: Answer, _ decision: GateDecision, asked: RequestAsked, stored: StoredState) {
        guard let form = asked.range?.condition.ifRangeForm, stored.validator?.hasBothForms == true else { return }
        let isHonoured = if case .accept = decision { answer.response.status == 206 } else { false }
        guard isHonoured || decision.hasIgnoredRange else { return }
        hosts.noteIfRange(form, isHonoured: isHonoured, by: answer.source.authority)
    }

    func admit(_ url: SourceURL) throws(AttemptInterruption) -> HostPass {
        do {
            return try hosts.admit(url.authority, for: download)
        } catch {
            throw .held(error)
        }
    }

    /// A length that is none, or one of two that differ, would make a part of the file pass for the whole (RFC 9112,
    /// section 6.3: an unrecoverable error). Where chunks mark the end of the body, none is looked at.
    private func requireReadableLength(
        _ head: ResponseHead,
        _ response: OriginResponse
    ) throws(AttemptInterruption) {
        guard !response.isChunked, !head.isLengthReadable else { return }
        throw .failed(
            DownloadError(.badResponse, message: "The answer's length cannot be read.", httpStatus: head.status)
        )
    }

    func parse(_ source: SourceURL) throws(AttemptInterruption) -> ParsedURL {
        do {
            return try ParsedURL(source.text, schemes: ParsedURL.Scheme.all)
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
}
