/// Judges a 200 or 203: the whole file, or what calls itself so.
struct WholeJudge {
    let asked: RequestAsked
    let stored: StoredState
    let response: OriginResponse

    var decision: GateDecision {
        // A file that had bytes never becomes complete by an empty answer.
        if response.announcedLength == 0, max(stored.total ?? 0, stored.durableBytes) > 0 {
            return ResponseGate.emptyBody(response)
        }
        if claimsToBePart { return refusedPart }
        guard let known = stored.validator else { return answerWithoutValidator }
        let difference = known.difference(from: received)
        if difference != nil, let suspicion { return suspicion }
        if asked.segmentIndex > 0 {
            return difference.map { .restart($0, withThisBody: nil) } ?? .collapseToSingleStream
        }
        guard stored.hasBytes else { return .accept(acceptance) }
        return .restart(reason(of: difference, from: known), withThisBody: acceptance)
    }

    /// Why bytes must go although nothing shows that the file changed: it came whole, asked or not.
    private func reason(of difference: RestartReason?, from known: Validator) -> RestartReason {
        let cameWhole: RestartReason = asked.range == nil ? .notResumable : .rangeIgnored
        if difference == .validatorMissing, known.strength == .none { return cameWhole }
        return difference ?? cameWhole
    }

    /// The field means nothing in a 200 (RFC 9110, 14.4), but a server that names a part there may well send only that:
    /// curl's test 188 knows such. Its length would pass for the file's.
    private var claimsToBePart: Bool {
        guard case .bytes(let first, let last, let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return false
        }
        return first > 0 || total.map { last != $0 - 1 } ?? true
    }

    private var refusedPart: GateDecision {
        if asked.range != nil { return .askPlain(.badContentRange, flagsHost: true) }
        return .retry(ResponseGate.badResponse(response, "The origin sent a part as if it were the file.", tries: 1))
    }

    /// Nothing to compare with: the first answer, or one for bytes whose validator is lost.
    private var answerWithoutValidator: GateDecision {
        if asked.segmentIndex > 0 { return .restart(.validatorMissing, withThisBody: nil) }
        if stored.expectsNoPage, isPage, mayWait { return ResponseGate.suspect(response, .unexpectedPage) }
        return stored.hasBytes ? .restart(.notResumable, withThisBody: acceptance) : .accept(acceptance)
    }

    private var isPage: Bool { response.mediaType?.isWebPage ?? false }

    private var mayWait: Bool { stored.suspectAnswers < ResponseGate.maxSuspectAnswers }

    private var received: Validator { Validator(response, total: response.announcedLength) }

    private var acceptance: Acceptance {
        Acceptance(
            writeOffset: 0,
            expectedLength: response.announcedLength,
            total: response.announcedLength,
            validator: received,
            isLengthProvable: response.isEndProvable
        )
    }

    /// The decision to mistrust a response that differs from what is stored, or nil when it is to be believed.
    ///
    /// A page without validators, or from a host that was not asked, is what captive portals send: time settles that.
    /// Other pages and other hosts are believed when they keep coming, unless a digest says what the file must be.
    private var suspicion: GateDecision? {
        let wasPage = stored.validator?.contentType.flatMap(MediaType.init)?.isWebPage ?? false
        if isPage && !wasPage {
            let hasValidators = received.etag != nil || received.lastModified != nil
            if response.redirectedToNewHost || !hasValidators { return ResponseGate.suspect(response, .middlebox) }
            return mayWait || stored.expectsDigest ? ResponseGate.suspect(response, .unexpectedPage) : nil
        }
        guard response.redirectedToNewHost, stored.hasBytes, mayWait else { return nil }
        return ResponseGate.suspect(response, .middlebox)
    }
}
