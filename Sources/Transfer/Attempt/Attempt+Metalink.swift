import Core
import Curl
import HTTPFields
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Sources and digests named by the origin, in a Metalink document (RFC 5854) or in `Link` fields (RFC 6249).
extension Attempt {
    /// Whether the response is a Metalink document and not the file itself.
    func isMetalink(_ response: OriginClient.Response) -> Bool {
        download.request.metalink == .follow && !file.isFromMetalink && response.metadata.status == 200
            && response.metadata.mediaType?.isMetalink == true
    }

    /// Reads the document and replaces the sources with its URLs.
    ///
    /// - Returns: The source that the stored bytes came from; nil if the document does not name it.
    func readMetalink(_ response: OriginClient.Response) async throws(AttemptInterruption) -> SourceID? {
        // The log entry is closed only after parsing, because it says which hashes were ignored.
        var ended = Result<TransferEnd, CurlError>.failure(CurlError(.aborted))
        defer { response.entry?.end(response.exchange.receivedBytes, ended) }
        let document = try await metalinkDocument(response, &ended)
        let metalink: Metalink
        do throws(MetalinkError) {
            metalink = try Metalink(parsing: document)
        } catch {
            throw .failed(DownloadError(.metalinkInvalid, message: error.explanation))
        }
        if metalink.hasUnreadableDigest { response.entry?.recordDecision(.hashUnreadable) }
        let urls = admitted(metalink.urls, namedBy: response.finalURL, digests: metalink.digests)
        guard !urls.isEmpty else {
            throw .failed(
                DownloadError(
                    .destinationForbidden,
                    message: "The Metalink document has no URL that the destination rules allow."
                )
            )
        }
        file.follow(metalink, to: urls)
        sources.replace(with: urls)
        return file.source.url.flatMap(sources.id)
    }

    private func metalinkDocument(
        _ response: OriginClient.Response,
        _ ended: inout Result<TransferEnd, CurlError>
    ) async throws(AttemptInterruption) -> [UInt8] {
        let limit = Metalink.maximumBytes
        guard response.metadata.contentLength ?? 0 <= Int64(limit) else {
            await response.discard()
            throw .failed(DownloadError(.metalinkInvalid, message: MetalinkError.tooLarge.explanation))
        }
        let body = MemoryBody(length: limit + 1) { _ in }
        ended = await response.exchange.result(into: body, nil)
        let bytes = body.bytes
        if bytes.count > limit {
            throw .failed(DownloadError(.metalinkInvalid, message: MetalinkError.tooLarge.explanation))
        }
        if case .failure(let error) = ended {
            if Task.isCancelled { throw .stopped }
            throw .failed(TransferFailure(body: error, from: response.finalURL.authority))
        }
        return bytes
    }

    /// The Metalink document named by a `describedby` link (RFC 6249, section 4); nil if none is to be followed.
    @inline(never)
    func description(namedBy response: OriginClient.Response) -> String? {
        guard download.request.metalink == .follow, file.metalink == nil else { return nil }
        return response.links.metalink
    }

    /// Fetches the Metalink document that a response names. A document that arrives too late or describes another file
    /// is ignored.
    @inline(never)
    func readDescription(
        at reference: String,
        namedBy response: OriginClient.Response,
        total: Int64?
    ) async {
        guard let url = admitted([reference], namedBy: response.finalURL, digests: []).first,
            var metalink = await context.origin.metalink(at: url),
            metalink.sizeBytes == nil || metalink.sizeBytes == total,
            !metalink.digests.contradict(expected.digests + response.metadata.digests)
        else { return }
        metalink.name = nil
        file.metalink = metalink
    }

    /// Adds the duplicates named by the first response. They need a strong ETag or a digest, which can prove that
    /// their bytes are equal (RFC 6249, section 6).
    func addDuplicates(_ response: OriginClient.Response, _ validator: Validator) {
        guard !file.isFromMetalink else { return }
        var isComparable = !expected.digests.isEmpty
        if case .entityTag = validator.strength { isComparable = true }
        guard isComparable else { return }
        let named = response.links.duplicates + (file.metalink?.urls ?? [])
        let urls = admitted(named, namedBy: response.finalURL, digests: expected.digests)
        sources.append(urls)
        file.setMirrors(urls)
    }

    /// Filters URLs that an origin or a document named. The client did not name them, so stricter rules apply.
    ///
    /// - Parameter document: The URL of the response that named them. If it was fetched over TLS, plain HTTP is
    ///   accepted only with a collision-resistant digest of the file.
    func admitted(_ texts: [String], namedBy document: DownloadURL, digests: [Digest]) -> [DownloadURL] {
        let isGuarded = digests.contains { $0.algorithm == .sha256 || $0.algorithm == .sha512 }
        let urls = texts.compactMap { text -> DownloadURL? in
            guard let given = try? GivenURL(parsing: text, relativeTo: document), given.user == nil else { return nil }
            let url = given.url
            guard let scheme = URLScheme(url.scheme), isGuarded || document.scheme == "http" || url.scheme == "https"
            else { return nil }
            let refusal = context.settings.destinations.validate(host: url.host, port: url.port, scheme: scheme)
            return refusal == nil ? url : nil
        }
        return Array(urls.prefix(SourceList.maximumMirrors))
    }
}

extension OriginClient.Response {
    fileprivate var links: [LinkField] { exchange.head.values(of: "Link").flatMap(LinkField.all) }
}
