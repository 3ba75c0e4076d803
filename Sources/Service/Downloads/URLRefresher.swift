public import Core
import Curl
import Transfer
import TransferRules

/// Requests another URL if the origin refuses the current one (`refresh_url`).
struct URLRefresher: Sendable {
    let engine: Engine
    let validator: DownloadValidator
    var vault: CredentialVault { validator.vault }
    let coding: URLRefreshCoding
    let time: TimeSource

    /// - Parameter madeProgress: Whether the failed attempt received new bytes.
    /// - Returns: ``URLRefreshResult/noNewURL`` also if no request is allowed.
    func refresh(
        _ download: Download,
        after failure: TransferFailure,
        madeProgress: Bool,
        log: RequestLog
    ) async -> URLRefreshResult<DownloadEdit> {
        guard let sealed = download.request.refreshURL, let url = try? vault.open(sealed),
            url.isComplete, let current = try? vault.open(download.request.url),
            URLRefreshRules.concerns(failure.error, isSuspect: failure.isSuspect),
            madeProgress || download.attempts.urlRefreshes < URLRefreshRules.maximumInARow
        else { return .noNewURL }
        let reply = await engine.requestRefreshedURL(request(download, current, to: url, failure.error), log: log) {
            (document) throws(TransferFailure) in try edit(of: download, document)
        }
        // A temporary failure is retried with the old URL: a device that answers in place of the origin may also answer
        // in place of the refresh server.
        if case .failed = reply, failure.failureClass.isTransient { return .noNewURL }
        return reply
    }

    private func request(
        _ download: Download,
        _ current: DownloadURL,
        to url: DownloadURL,
        _ reason: DownloadError
    ) -> URLRefreshRequest {
        let now = time.now
        let body = coding.encode(URLRefreshContext(download, url: current, reason: reason, at: now))
        let signature = coding.sign(EventID(at: now).text, now.seconds, body)
        return URLRefreshRequest(url: url, body: body, signature: signature, reason: reason.code)
    }

    /// Validates the new URL by the same rules as a client's URL.
    private func edit(of download: Download, _ document: [UInt8]) throws(TransferFailure) -> DownloadEdit {
        guard let text = coding.decode(document) else { throw .urlRefresh("sent no URL") }
        var patch = DownloadPatch()
        patch.url = try? GivenURL(parsing: text)
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

/// Encodes and signs `refresh_url` requests, and decodes their responses. It is injected: the body is JSON, signed like
/// a webhook delivery.
public struct URLRefreshCoding: Sendable {
    /// Encodes the body of a request.
    public typealias Encoder = @Sendable (URLRefreshContext) -> [UInt8]
    /// Decodes the URL in a response; nil if there is none.
    public typealias Decoder = @Sendable ([UInt8]) -> String?
    /// Returns the header fields that sign a body. The timestamp is in whole seconds since the epoch.
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
