import Core
import HTTPFields

/// Validates a 206 response: its bytes must belong to the stored version and to the right position.
struct PartialContentRules {
    let request: SentRequest
    let stored: StoredState
    let response: OriginResponse

    var decision: ResponseDecision {
        guard let range = request.range else { return unrequested }
        if response.mediaType?.isMultipartByteRanges == true {
            return .requestWithoutRange(.multipart, flagsHost: true)
        }
        guard case .bytes(let first, let last, let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return .requestWithoutRange(.badContentRange, flagsHost: true)
        }
        let part = Part(first: first, last: last, total: total)
        if let difference = difference(of: part, requested: range) {
            let isSuspect =
                response.redirectedToNewHost && stored.suspectResponses < ResponseValidation.maxSuspectResponses
            return isSuspect
                ? ResponseValidation.suspect(response, .middlebox) : .restart(difference, withThisBody: nil)
        }
        if stored.refusesPage, response.isPage, stored.validator?.isPage ?? true {
            return .fail(response.unexpectedPage)
        }
        return place(part, requested: range)
    }

    /// The values of `Content-Range`.
    private struct Part {
        let first: Int64
        let last: Int64
        let total: Int64?

        var length: Int64 { last - first + 1 }
    }

    /// The first unrequested 206 leads to another request; a second one means that the origin is broken.
    private var unrequested: ResponseDecision {
        guard request.isRepeatWithoutRange else { return .requestWithoutRange(.unrequestedPartial, flagsHost: false) }
        return .fail(
            DownloadError(.badResponse, message: "The origin sends ranges that were not requested.", httpStatus: 206)
        )
    }

    /// The first evidence that the part belongs to another version, or `validatorMissing` if nothing proves the
    /// opposite.
    private func difference(of part: Part, requested range: RequestedRange) -> RestartReason? {
        guard let known = stored.validator else {
            // If nothing is stored, a range from byte 0 can be the first response.
            return range.writeOffset == 0 && !stored.hasBytes && request.segmentIndex == 0 ? nil : .validatorMissing
        }
        if ContentCoding.normalized(response.contentEncoding) != known.contentEncoding { return .encodingChanged }
        if let total = known.total, part.total.map({ $0 != total }) ?? (part.last >= total) { return .totalChanged }
        if stored.agreesByDigest { return part.total == nil ? .validatorMissing : nil }

        let tag = response.entityTag
        if let tag, tag != known.etag { return .etagChanged }
        // If the condition was the date, the date must be equal too.
        if case .entityTag = known.strength, tag != nil, range.condition.ifRangeForm != .date { return nil }

        // Below, no equal strong tag proves the part's version, so a different date disproves it.
        if response.lastModified != nil, let date = known.lastModified, response.parsedLastModified != date {
            return .lastModifiedChanged
        }
        if case .entityTag = known.strength, tag != nil { return nil }
        let isDateEqual = response.parsedLastModified != nil && response.parsedLastModified == known.lastModified
        let isTagMissing = tag == nil && known.etag != nil
        switch known.strength {
        case .date, .dateBesideWeakTag:
            if isDateEqual && !isTagMissing { return nil }
        case .entityTag, .none:
            break
        }
        return isWorthComparing(part, requested: range) ? nil : .validatorMissing
    }

    /// Only the first segment has stored bytes before it. Those before a later segment may not be stored yet.
    private var canCompare: Bool { request.segmentIndex == 0 }

    /// Whether the part is accepted without a validator if the repeated bytes are equal. The digest of the whole file
    /// decides at the end; the comparison detects most other versions early.
    private func isWorthComparing(_ part: Part, requested range: RequestedRange) -> Bool {
        guard canCompare, stored.isVerifiedByDigest, range.writeOffset > 0 else { return false }
        // If a strong validator is stored, the origin must repeat it: without it the file may be another version.
        guard let known = stored.validator, known.strength == .none else { return false }
        return part.first <= range.writeOffset - min(OverlapRules.bytes, range.writeOffset)
    }

    /// Checks position and length of a part of the right version.
    private func place(_ part: Part, requested range: RequestedRange) -> ResponseDecision {
        let writeOffset = range.writeOffset
        guard part.first <= range.first, part.last >= writeOffset else {
            return .requestWithoutRange(.rangeMismatch, flagsHost: false)
        }
        let overlap = writeOffset - part.first
        let isComparable = canCompare && overlap <= OverlapRules.maximumBytes
        guard overlap == 0 || isComparable else { return .restart(.rangeMismatch, withThisBody: nil) }
        if let announced = response.announcedLength, announced != part.length {
            return .requestWithoutRange(.lengthMismatch, flagsHost: true)
        }
        guard let total = part.total ?? stored.total else {
            return .requestWithoutRange(.totalUnknown, flagsHost: false)
        }

        let last = min(part.last, range.last ?? .max)
        guard last >= writeOffset else { return .requestWithoutRange(.rangeMismatch, flagsHost: false) }
        var validator = stored.validator ?? Validator(response, total: total)
        validator.total = total
        return .accept(
            AcceptedBody(
                writeOffset: writeOffset,
                expectedLength: last - part.first + 1,
                total: total,
                overlapToCompare: overlap,
                validator: validator,
                isLengthProvable: true
            )
        )
    }
}

/// Validates a 416 response: the origin has no byte of the range.
struct UnsatisfiedRangeRules {
    let request: SentRequest
    let stored: StoredState
    let response: OriginResponse

    var decision: ResponseDecision {
        guard let range = request.range else {
            return .retry(
                ResponseValidation.badResponse(
                    response,
                    "The origin answers 416 to a request without a range.",
                    retries: 1
                )
            )
        }
        guard case .unsatisfied(let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return .requestWithoutRange(.rangeNotSatisfiable, flagsHost: false)
        }
        if let change = versionChange { return .restart(change, withThisBody: nil) }
        let isAtEnd = request.segmentIndex == 0 && range.writeOffset == total && stored.durableBytes == total
        if isAtEnd { return provesEnd(at: total) ? .alreadyComplete : .restart(.endUnproven, withThisBody: nil) }
        if let known = stored.total, total != known { return .restart(.totalChanged, withThisBody: nil) }
        if total < stored.durableBytes { return .restart(.totalChanged, withThisBody: nil) }
        return .requestWithoutRange(.rangeNotSatisfiable, flagsHost: false)
    }

    /// Whether the file ends after the stored bytes.
    ///
    /// Of a file whose size was never told, an equal strong tag proves that the size in this response is its own (RFC
    /// 9110, 8.8.3). If another size was told, one of the two is wrong. A digest decides by itself.
    private func provesEnd(at total: Int64) -> Bool {
        if stored.total == total || stored.isVerifiedByDigest || stored.acceptsUnverifiedLength { return true }
        guard stored.total == nil, case .entityTag(let tag)? = stored.validator?.strength else { return false }
        return response.entityTag == tag
    }

    /// A 416 may lack validators. If it has one, it must be equal.
    private var versionChange: RestartReason? {
        guard let known = stored.validator else { return nil }
        if let tag = response.entityTag {
            return tag == known.etag ? nil : .etagChanged
        }
        guard known.etag == nil, let date = known.lastModified, let found = response.parsedLastModified else {
            return nil
        }
        return date == found ? nil : .lastModifiedChanged
    }
}
