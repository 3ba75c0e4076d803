public import Core
import Transfer
import TransferRules

/// Asks for another link in place of one that is refused.
struct URLRefresher: Sendable {
    let engine: Engine
    let validator: DownloadValidator
    var vault: CredentialVault { validator.vault }
    let coding: URLRefreshCoding
    let time: TimeSource

    /// - Parameter madeProgress: Whether the attempt that failed brought a new byte.
    /// - Returns: ``URLRefreshResult/refused`` also where nobody is to be asked: what the failure means without another
    ///   URL holds.
    func refresh(
        _ download: Download,
        after failure: TransferFailure,
        madeProgress: Bool,
        log: RequestLog
    ) async -> URLRefreshResult<DownloadEdit> {
        guard let sealed = download.request.refreshURL, let text = try? vault.open(url: sealed),
            let url = try? SourceURL.parse(text).url, let current = try? vault.open(download.request.url),
            URLRefreshRules.concerns(failure.error, isSuspect: failure.isSuspect),
            madeProgress || download.attempts.urlRefreshes < URLRefreshRules.maximumInARow
        else { return .refused }
        let reply = await engine.requestRefreshedURL(request(download, current, to: url, failure.error), log: log) {
            (document) throws(TransferFailure) in try edit(of: download, document)
        }
        // What may pass by itself is left to pass: what answers in the origin's place may answer here too.
        if case .failed = reply, failure.failureClass.isTransient { return .refused }
        return reply
    }

    private func request(
        _ download: Download,
        _ current: SourceURL,
        to url: SourceURL,
        _ reason: DownloadError
    ) -> URLRefreshRequest {
        let now = time.now
        let body = coding.encode(URLRefreshContext(download, url: current, reason: reason, at: now))
        let signature = coding.sign(EventID(at: now).text, now.seconds, body)
        return URLRefreshRequest(url: url, body: body, signature: signature, reason: reason.code)
    }

    /// The new link is held to what a client's own would be.
    private func edit(of download: Download, _ document: [UInt8]) throws(TransferFailure) -> DownloadEdit {
        guard let text = coding.decode(document) else { throw .urlRefresh("sent no URL") }
        var patch = DownloadPatch()
        patch.url = try? GivenURL(parsing: text, at: "/url")
        guard patch.url != nil else { throw .urlRefresh("sent a URL that cannot be used") }
        do {
            return try validator.edit(patch, of: download, now: time.now)
        } catch .destinationForbidden {
            throw TransferFailure(
                DownloadError(
                    .destinationForbidden,
                    message: "The link of \"refresh_url\" leads where it is not allowed."
                )
            )
        } catch {
            throw .urlRefresh("sent a URL that cannot be used")
        }
    }
}

extension FailureClass {
    fileprivate var isTransient: Bool {
        guard case .transient = self else { return false }
        return true
    }
}

/// Encodes and signs `refresh_url` requests, and decodes their responses. The composition makes it: the body is JSON,
/// signed like a webhook delivery.
public struct URLRefreshCoding: Sendable {
    /// Makes the document of a question.
    public typealias Encoder = @Sendable (URLRefreshContext) -> [UInt8]
    /// Finds the link in a document that answers; nil where it has none.
    public typealias Decoder = @Sendable ([UInt8]) -> String?
    /// The fields that sign a body, given its id and the time in whole seconds since the epoch.
    public typealias Signer =
        @Sendable (_ id: String, _ timestamp: Int64, _ body: [UInt8]) -> [(name: String, value: String)]

    let encode: Encoder
    let decode: Decoder
    let sign: Signer

    public init(encode: @escaping Encoder, decode: @escaping Decoder, sign: @escaping Signer) {
        self.encode = encode
        self.decode = decode
        self.sign = sign
    }
}
