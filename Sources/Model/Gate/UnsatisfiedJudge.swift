/// Judges a 416: the origin has no byte of the range.
struct UnsatisfiedJudge {
    let asked: RequestAsked
    let stored: StoredState
    let response: OriginResponse

    var decision: GateDecision {
        guard let range = asked.range else {
            return .retry(
                ResponseGate.badResponse(response, "The origin refuses a range that was not asked.", tries: 1)
            )
        }
        guard case .unsatisfied(let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return .askPlain(.rangeNotSatisfiable, flagsHost: false)
        }
        if let known = stored.total, total != known { return .restart(.totalChanged, withThisBody: nil) }
        if total < stored.durableBytes { return .restart(.totalChanged, withThisBody: nil) }
        if let change = versionChange { return .restart(change, withThisBody: nil) }

        let isWhole = asked.segmentIndex == 0 && range.writeOffset == total && stored.durableBytes == total
        let isComplete = isWhole && stored.total == total
        return isComplete ? .alreadyComplete : .askPlain(.rangeNotSatisfiable, flagsHost: false)
    }

    /// A 416 need not carry validators; one that it does carry must agree.
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
