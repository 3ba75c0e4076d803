import Core
import Curl
import HTTPFields
import TransferRules

/// Sources and digests that the origin names: in a Metalink document (RFC 5854) or in links (RFC 6249).
extension Attempt {
    /// Whether an answer brings a Metalink document in place of the file.
    func isMetalink(_ answer: OriginClient.Answer, _ decision: ResponseDecision) -> Bool {
        guard download.request.metalink == .follow, !isMetalinkRead, answer.response.status == 200 else { return false }
        switch decision {
        case .accept, .restart(_, withThisBody: _?): return answer.response.mediaType?.isMetalink == true
        default: return false
        }
    }

    /// Reads the document, and makes the URLs that it names the sources.
    func readMetalink(_ answer: OriginClient.Answer) async throws(AttemptInterruption) {
        // The request is recorded as ended once the document is read: its record says what of it was passed over.
        var ended = Result<TransferEnd, CurlError>.failure(CurlError(.aborted))
        defer { answer.entry?.end(answer.exchange.receivedBytes, ended) }
        let document = try await metalinkDocument(answer, &ended)
        let metalink: Metalink
        do throws(MetalinkError) {
            metalink = try Metalink(parsing: document)
        } catch {
            throw .failed(DownloadError(.metalinkInvalid, message: error.explanation))
        }
        if metalink.hasUnreadableDigest { answer.entry?.recordDecision(.hashUnreadable) }
        let urls = admitted(metalink.urls, namedBy: answer.finalURL, digests: metalink.digests)
        guard !urls.isEmpty else {
            throw .failed(
                DownloadError(
                    .destinationForbidden,
                    message: "The Metalink document has no URL that the destination rules allow."
                )
            )
        }
        self.metalink = metalink
        named = urls.map(\.text)
        isMetalinkRead = true
        sources.replace(with: urls)
        failover = Failover()
        representation = source.url.flatMap(sources.id)
        lead = representation ?? .primary
    }

    private func metalinkDocument(
        _ answer: OriginClient.Answer,
        _ ended: inout Result<TransferEnd, CurlError>
    ) async throws(AttemptInterruption) -> [UInt8] {
        let limit = Metalink.maximumBytes
        guard answer.response.contentLength ?? 0 <= Int64(limit) else {
            await answer.discard()
            throw .failed(DownloadError(.metalinkInvalid, message: MetalinkError.tooLarge.explanation))
        }
        let body = MemoryBody(length: limit + 1) { _ in }
        ended = await answer.exchange.result(into: body, nil)
        let bytes = body.bytes
        if bytes.count > limit {
            throw .failed(DownloadError(.metalinkInvalid, message: MetalinkError.tooLarge.explanation))
        }
        if case .failure(let error) = ended {
            if Task.isCancelled { throw .stopped }
            throw .failed(TransferFailure(body: error, from: answer.finalURL.authority))
        }
        return bytes
    }

    /// Reads the document that the answer's links say describes the file (RFC 6249, section 4). One that does not come
    /// soon, or describes another file, is passed over: the answer brings the file without it.
    func readDescription(_ answer: OriginClient.Answer, total: Int64?) async {
        guard download.request.metalink == .follow, metalink == nil, let reference = answer.links.metalink,
            let url = admitted([reference], namedBy: answer.finalURL, digests: []).first,
            var metalink = await origin.metalink(at: url),
            metalink.sizeBytes == nil || metalink.sizeBytes == total,
            !metalink.digests.contradict(expected.digests + answer.response.digests)
        else { return }
        metalink.name = nil
        self.metalink = metalink
    }

    /// Adds the duplicates that the first answer names, where there is something to compare them by: a strong tag or
    /// a digest (RFC 6249, section 6).
    func addDuplicates(_ answer: OriginClient.Answer, _ validator: Validator) {
        guard !isMetalinkRead else { return }
        var isComparable = !expected.digests.isEmpty
        if case .entityTag = validator.strength { isComparable = true }
        guard isComparable else { return }
        let named = answer.links.duplicates + (metalink?.urls ?? [])
        let urls = admitted(named, namedBy: answer.finalURL, digests: expected.digests)
        sources.append(urls)
        self.named = urls.map(\.text)
    }
}

extension OriginClient.Answer {
    fileprivate var links: [LinkField] { exchange.head.values(of: "Link").flatMap(LinkField.all) }
}
