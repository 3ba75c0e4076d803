public import Core

/// HTTP and HTTPS. Conditions guard each range request (``ResumePlan``), and ``ResponseValidation`` validates each
/// response.
public struct HTTPScheme: SourceScheme {
    public init() {}

    public var abilities: SchemeAbilities { SchemeAbilities() }

    /// Always full: `Content-Range` states the offset of the bytes.
    public func offsetTrust(hasDigest: Bool) -> ResumeOffsetTrust { .full }

    public func plan(resuming stored: StoredState, segments: [Segment], hasDigest: Bool) -> ResumePlan {
        guard let total = stored.total else { return ResumePlan(resuming: stored, at: segments.contiguousEnd) }
        let gap = SegmentPlan(total: total, stored: segments).firstGap ?? total..<total
        return ResumePlan(resuming: stored, at: gap.lowerBound, through: gap.upperBound - 1)
    }

    public func validate(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision {
        ResponseValidation.validate(request: request, stored: stored, response: response)
    }

    public func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision? { nil }

    public func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure { failure }
}
