import Core
import HTTPFields

/// Validates a 200 or 203 response, which claims to have the whole file.
struct FullContentRules {
    let request: SentRequest
    let stored: StoredState
    let response: OriginResponse

    var decision: ResponseDecision {
        // An empty response must not complete a file that had bytes before.
        if response.announcedLength == 0, max(knownTotal, stored.durableBytes) > 0 {
            return ResponseValidation.emptyBody(response)
        }
        if claimsToBePart { return refusedPart }
        guard let known = stored.validator else { return decisionWithoutValidator }
        let difference = known.difference(from: received)
        if difference != nil, let suspicion = suspicion(knowing: known) { return suspicion }
        if isRefusedPage(insteadOf: known, isChanged: difference != nil) { return .fail(response.unexpectedPage) }
        if difference == nil, mayRequestOtherwise(known) { return .requestWithOtherCondition }
        if mayBePart(known) { return .requestWithoutRange(.maybePart, flagsHost: isAsLongAsRequested) }
        if request.segmentIndex > 0 {
            return difference.map { .restart($0, withThisBody: nil) } ?? .collapseToSingleStream
        }
        guard stored.hasBytes else { return .accept(acceptance) }
        return .restart(reason(of: difference, from: known), withThisBody: acceptance)
    }

    private var knownTotal: Int64 { stored.total ?? stored.previousFile?.total ?? 0 }

    /// With fewer stored bytes, another request is not worth the lost connection.
    private static let leastBytesToKeep: Int64 = 64 << 10

    /// Whether to try the other form of `If-Range`: the host may honour it, and enough bytes are at stake.
    private func mayRequestOtherwise(_ known: Validator) -> Bool {
        guard request.range?.condition.ifRangeForm != nil, stored.hasOtherIfRange, known.hasBothForms else {
            return false
        }
        // The file has another date, so a condition with the stored date would also return the whole file.
        guard received.lastModified == known.lastModified else { return false }
        return request.segmentIndex > 0 || stored.durableBytes >= Self.leastBytesToKeep
    }

    /// The number of requested bytes; nil without a range, or for an open range of a file of unknown size.
    private var requestedLength: Int64? {
        guard let range = request.range, let last = range.last ?? stored.total.map({ $0 - 1 }) else { return nil }
        return last - range.first + 1
    }

    private var isAsLongAsRequested: Bool { response.announcedLength.map { $0 == requestedLength } ?? false }

    /// Whether the body may have only the range: some servers send it with status 200 and without `Content-Range`, and
    /// its length would be taken for the file's. The file is then requested without a range, and that response is
    /// accepted.
    private func mayBePart(_ known: Validator) -> Bool {
        guard request.range != nil else { return false }
        guard let length = response.announcedLength else { return request.segmentIndex == 0 }
        if length == stored.total { return false }
        if isAsLongAsRequested { return true }
        // The size is unknown, or the length differs although the validators are equal.
        var same = known
        same.total = nil
        return request.segmentIndex == 0 && same.difference(from: received) == nil
    }

    /// Why the stored bytes are discarded: the difference, or else only that the whole file arrived.
    private func reason(of difference: RestartReason?, from known: Validator) -> RestartReason {
        let cameWhole: RestartReason = request.range == nil ? .notResumable : .rangeIgnored
        if difference == .validatorMissing, known.strength == .none { return cameWhole }
        return difference ?? cameWhole
    }

    /// `Content-Range` has no meaning in a 200 (RFC 9110, 14.4), but a server that names a part may send only that
    /// part, as in curl's test 188. Its length would be taken for the file's.
    private var claimsToBePart: Bool {
        guard case .bytes(let first, let last, let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return false
        }
        return first > 0 || total.map { last != $0 - 1 } ?? true
    }

    private var refusedPart: ResponseDecision {
        if request.range != nil { return .requestWithoutRange(.badContentRange, flagsHost: true) }
        return .retry(
            ResponseValidation.badResponse(
                response,
                "The origin sent a part of the file as the whole file.",
                retries: 1
            )
        )
    }

    /// The decision if there is nothing to compare with: for the first response, or if the validator of the bytes is
    /// lost.
    private var decisionWithoutValidator: ResponseDecision {
        if request.segmentIndex > 0 { return .restart(.validatorMissing, withThisBody: nil) }
        if request.range != nil { return .requestWithoutRange(.maybePart, flagsHost: false) }
        if let previousFile = stored.previousFile, previousFile.difference(from: received) != nil,
            let suspicion = suspicion(knowing: previousFile)
        {
            return suspicion
        }
        if stored.expectsNoPage, isPage, mayWait { return ResponseValidation.suspect(response, .unexpectedPage) }
        if stored.refusesPage, response.isPage { return .fail(response.unexpectedPage) }
        return stored.hasBytes ? .restart(.notResumable, withThisBody: acceptance) : .accept(acceptance)
    }

    private var isPage: Bool { response.mediaType?.isWebPage ?? false }

    /// Whether the response is a web page that must not replace the stored file. With equal validators the stored bytes
    /// are of the same response, so their type decides.
    private func isRefusedPage(insteadOf known: Validator, isChanged: Bool) -> Bool {
        stored.refusesPage && response.isPage && (isChanged || known.isPage)
    }

    private var mayWait: Bool { stored.suspectResponses < ResponseValidation.maxSuspectResponses }

    private var received: Validator { Validator(response, total: response.announcedLength) }

    private var acceptance: AcceptedBody {
        AcceptedBody(
            writeOffset: 0,
            expectedLength: response.announcedLength,
            total: response.announcedLength,
            validator: received,
            isLengthProvable: response.isEndProvable
        )
    }

    /// The decision for a suspect response that differs from the stored file; nil if it is trusted.
    ///
    /// Captive portals send pages without validators, or from another host: the download waits and retries. Other pages
    /// and other hosts are accepted if they repeat, unless a digest of the file is known.
    private func suspicion(knowing known: Validator) -> ResponseDecision? {
        if isPage && !known.isPage {
            let hasValidators = received.etag != nil || received.lastModified != nil
            if response.redirectedToNewHost || !hasValidators {
                return ResponseValidation.suspect(response, .middlebox)
            }
            return mayWait || stored.expectsDigest ? ResponseValidation.suspect(response, .unexpectedPage) : nil
        }
        guard response.redirectedToNewHost, stored.hasBytes, mayWait else { return nil }
        return ResponseValidation.suspect(response, .middlebox)
    }
}

extension Validator {
    /// Whether it belongs to a web page.
    var isPage: Bool { contentType.flatMap(MediaType.init)?.isWebPage ?? false }
}
