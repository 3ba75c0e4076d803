import Curl
import Model

/// Sources and digests that the origin names: in a Metalink document (RFC 5854) or in links (RFC 6249).
extension Attempt {
    /// Whether an answer brings a Metalink document in place of the file.
    func isMetalink(_ answer: OriginClient.Answer, _ decision: GateDecision) -> Bool {
        guard download.request.metalink == .follow, !isMetalinkRead, answer.response.status == 200 else { return false }
        switch decision {
        case .accept, .restart(_, withThisBody: _?): return answer.response.mediaType?.isMetalink == true
        default: return false
        }
    }

    /// Reads the document, and makes the URLs that it names the sources.
    func readMetalink(_ answer: OriginClient.Answer) async throws(AttemptInterruption) {
        let document = try await metalinkDocument(answer)
        let metalink: Metalink
        do throws(MetalinkFault) {
            metalink = try Metalink(parsing: document)
        } catch {
            throw .failed(DownloadError(.metalinkInvalid, message: error.explanation))
        }
        let urls = admitted(metalink.urls, namedBy: answer.finalURL, digests: metalink.digests)
        guard !urls.isEmpty else {
            throw .failed(
                DownloadError(.destinationForbidden, message: "The Metalink document names no URL that may be asked.")
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

    private func metalinkDocument(_ answer: OriginClient.Answer) async throws(AttemptInterruption) -> [UInt8] {
        let limit = Metalink.maximumBytes
        guard answer.response.contentLength ?? 0 <= Int64(limit) else {
            await answer.exchange.discard()
            throw .failed(DownloadError(.metalinkInvalid, message: MetalinkFault.tooLarge.explanation))
        }
        let body = MemoryBody(length: limit + 1) { _ in }
        let ended = await answer.exchange.result(into: body)
        let bytes = body.bytes
        if bytes.count > limit {
            throw .failed(DownloadError(.metalinkInvalid, message: MetalinkFault.tooLarge.explanation))
        }
        if case .failure(let error) = ended {
            if Task.isCancelled { throw .stopped }
            throw .failed(TransferFailure(error, stage: .body))
        }
        return bytes
    }

    /// Adds the duplicates that the first answer names, where there is something to compare them by: a strong tag or
    /// a digest (RFC 6249, section 6).
    func addDuplicates(_ answer: OriginClient.Answer, _ validator: Validator) {
        guard !isMetalinkRead, download.source.mirrors.isEmpty else { return }
        var isComparable = !expected.digests.isEmpty
        if case .entityTag = validator.strength { isComparable = true }
        guard isComparable else { return }
        let links = answer.exchange.head.values(of: "Link").flatMap(LinkField.all)
        let urls = admitted(links.duplicates, namedBy: answer.finalURL, digests: expected.digests)
        sources.append(urls)
        named = urls.map(\.text)
    }
}
