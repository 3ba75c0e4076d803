import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules

/// Random origins against random downloads: whatever is accepted must be proved to belong where it goes.
@Suite struct ResponsePropertyTests {
    private typealias F = ResponseFixture

    @Test(arguments: [UInt64(11), 12, 13, 14])
    func unprovenResponsesAreNotAccepted(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<60_000 {
            let stored = Self.randomState(&generator)
            let request = Self.randomRequest(stored, &generator)
            let isNearlyRight = generator.chance(oneIn: 2)
            let response =
                isNearlyRight
                ? Self.nearlyRight(request, stored, &generator) : Self.randomResponse(&generator)

            let decision = ResponseValidation.validate(request: request, stored: stored, response: response)
            let fault = Self.fault(decision, request: request, stored: stored, response: response)

            #expect(fault == nil, "\(fault ?? "") \(request) \(stored) \(response) \(decision)")
            if fault != nil { return }
            if case .accept = decision, response.status == 206 { accepted += 1 }
        }
        // The generator is of use only if some parts are right.
        #expect(accepted > 1000)
    }

    private static func fault(
        _ decision: ResponseDecision,
        request: SentRequest,
        stored: StoredState,
        response: OriginResponse
    ) -> String? {
        switch decision {
        case .accept where response.transferEncoding == "gzip",
            .restart(_, .some) where response.transferEncoding == "gzip":
            return "coded bytes taken for the file's"
        case .accept(let acceptance) where response.status == 206:
            return partFault(acceptance, request: request, stored: stored, response: response)
        case .accept where isPartial(response), .restart(_, .some) where isPartial(response):
            return "part taken for the whole"
        case .accept(let acceptance):
            if ![200, 203].contains(response.status) { return "status" }
            if acceptance.writeOffset != 0 || acceptance.overlapToCompare != 0 { return "offset" }
            if let range = request.range, Self.mayBePart(response, of: range, stored) {
                return "rest taken for the whole"
            }
            return stored.durableBytes > 0 || request.segmentIndex > 0 ? "bytes lost in silence" : nil
        case .restart(_, .some(let body)):
            if ![200, 203].contains(response.status) || request.segmentIndex > 0 { return "body of a restart" }
            if let range = request.range, Self.mayBePart(response, of: range, stored) {
                return "rest taken for the whole"
            }
            return body.writeOffset != 0 ? "offset of a restart" : nil
        case .alreadyComplete:
            let tag = response.etag.flatMap(EntityTag.init).flatMap { $0.isWeak ? nil : $0 }
            let isProven =
                stored.durableBytes == stored.total || stored.isVerifiedByDigest
                || stored.total == nil && tag != nil && tag == stored.validator?.etag
            return response.status == 416 && isProven && response.contentRange == "bytes */\(stored.durableBytes)"
                ? nil : "not complete"
        case .requestWithOtherCondition:
            let tag = response.etag.flatMap(EntityTag.init)
            return stored.hasOtherIfRange && tag != nil && tag == stored.validator?.etag ? nil : "the other form"
        case .collapseToSingleStream:
            let tag = response.etag.flatMap(EntityTag.init)
            return request.segmentIndex > 0 && tag == stored.validator?.etag ? nil : "collapse"
        default:
            return nil
        }
    }

    /// Whether the body of a 200 could be the range alone.
    private static func mayBePart(_ response: OriginResponse, of range: RequestedRange, _ stored: StoredState) -> Bool {
        guard response.transferEncoding == nil, let length = response.contentLength, length >= 0 else { return true }
        guard let total = stored.total else { return false }
        return length != total && length == (range.last ?? total - 1) - range.first + 1
    }

    private static func isPartial(_ response: OriginResponse) -> Bool {
        guard case .bytes(let first, let last, let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return false
        }
        return first != 0 || last + 1 != total
    }

    private static func partFault(
        _ acceptance: AcceptedBody,
        request: SentRequest,
        stored: StoredState,
        response: OriginResponse
    ) -> String? {
        guard let range = request.range else { return "nobody asked" }
        guard case .bytes(let first, let last, let total)? = response.contentRange.flatMap(ContentRange.init) else {
            return "no Content-Range"
        }
        guard let length = acceptance.expectedLength, let whole = acceptance.total else { return "no length" }
        if acceptance.writeOffset != range.writeOffset || acceptance.bodyOffset != first { return "position" }
        if length < 1 || acceptance.bodyOffset + length - 1 > min(last, range.last ?? .max) { return "length" }
        if length <= acceptance.overlapToCompare || acceptance.bodyOffset + length > whole { return "end" }
        if let total, total != whole { return "told total" }
        if let known = stored.total, known != whole { return "known total" }
        if acceptance.overlapToCompare > 0, request.segmentIndex > 0 { return "overlap not allowed" }
        if acceptance.overlapToCompare > OverlapRules.maximumBytes { return "overlap" }
        guard let validator = stored.validator else { return acceptance.writeOffset == 0 ? nil : "no validator" }
        if (response.contentEncoding ?? "identity") != (validator.contentEncoding ?? "identity") { return "encoding" }
        return versionFault(acceptance, stored: stored, validator: validator, response: response)
    }

    private static func versionFault(
        _ acceptance: AcceptedBody,
        stored: StoredState,
        validator: Validator,
        response: OriginResponse
    ) -> String? {
        let tag = response.etag.flatMap(EntityTag.init)
        if let tag, tag != validator.etag { return "tag" }
        if let tag, !tag.isWeak, tag == validator.etag { return nil }
        let isCompared = acceptance.overlapToCompare >= min(OverlapRules.bytes, acceptance.writeOffset)
        if isCompared, stored.isVerifiedByDigest, validator.strength == .none { return nil }
        if tag == nil, validator.etag != nil { return "tag gone" }
        let found = response.lastModified.flatMap { HTTPDate($0, now: response.receivedAt) }
        return validator.isLastModifiedStrong && found != nil && found == validator.lastModified ? nil : "date"
    }
}

extension ResponsePropertyTests {
    private static let offsets: [Int64] = [
        0, 1, 10, 65_535, 65_536, 100_000, 2_400_000, 3_999_999, 4_000_000, 4_000_001,
    ]

    static func randomState(_ generator: inout SplitMix64) -> StoredState {
        let validator = ResponseFixture.validator(
            etag: generator.pick(["\"v1\"", "\"v1\"", "\"v2\"", "W/\"v1\"", nil]),
            lastModified: generator.pick([
                ResponseFixture.modified, ResponseFixture.modified, ResponseFixture.laterModified, nil,
            ]),
            isStrong: generator.chance(oneIn: 2),
            total: generator.pick([4_000_000, 4_000_000, 4_000_000, 100_000, nil]),
            encoding: generator.pick([nil, nil, nil, "gzip"]),
            type: generator.pick(["application/zip", "text/html", nil])
        )
        var state = StoredState(
            durableBytes: generator.pick(offsets),
            validator: generator.chance(oneIn: 8) ? nil : validator,
            expectsDigest: generator.chance(oneIn: 3),
            hostHasNoRanges: generator.chance(oneIn: 10),
            suspectResponses: generator.pick([0, 0, 1, 3, 4])
        )
        state.isVerifiedByDigest = generator.chance(oneIn: 2)
        state.ifRangeForm = generator.pick([.tag, .date])
        state.hasOtherIfRange = generator.chance(oneIn: 3)
        return state
    }

    /// What the ladder asks, or now and then something that it never would.
    static func randomRequest(
        _ stored: StoredState,
        _ generator: inout SplitMix64
    ) -> SentRequest {
        let planned = SentRequest(ResumePlan(resuming: stored))
        var request = planned ?? SentRequest()
        if generator.chance(oneIn: 4) {
            let first = generator.pick(offsets)
            request.range = RequestedRange(
                first: first,
                last: generator.pick([nil, first, first + 100, 3_999_999]),
                condition: generator.pick([.none(overlap: 0), .none(overlap: 65_536), ResponseFixture.ifRange])
            )
        }
        request.segmentIndex = generator.pick([0, 0, 0, 1, 7])
        request.isRepeatWithoutRange = generator.chance(oneIn: 5)
        return request
    }

    static func randomResponse(_ generator: inout SplitMix64) -> OriginResponse {
        let statuses = [200, 200, 203, 204, 206, 206, 206, 206, 206, 302, 304, 401, 404, 412, 416, 416, 503, 511]
        var response = OriginResponse(status: generator.pick(statuses), receivedAt: ResponseFixture.now)
        let first = generator.pick(offsets)
        let last = generator.pick([3_999_999, 3_999_999, first, first + 99, 4_000_000])
        let total = generator.pick(["4000000", "4000000", "4000000", "*", "100000", "4000001"])
        response.contentRange = generator.pick([
            "bytes \(first)-\(last)/\(total)", "bytes \(first)-\(last)/\(total)", "bytes \(first)-\(last)/\(total)",
            "bytes */\(total)", nil, "garbage",
        ])
        if response.status != 206, generator.chance(oneIn: 2) { response.contentRange = nil }
        response.contentLength = generator.pick([last - first + 1, last - first + 1, nil, 0, 4_000_000, -5])
        response.etag = generator.pick(["\"v1\"", "\"v1\"", "\"v1\"", "\"v2\"", "W/\"v1\"", nil, "bad"])
        response.lastModified = generator.pick([
            ResponseFixture.modified, ResponseFixture.modified, ResponseFixture.laterModified, nil, "bad",
        ])
        response.date = generator.pick([ResponseFixture.now.fieldValue, nil])
        response.contentType = generator.pick(["application/zip", "text/html", "multipart/byteranges", nil])
        response.contentEncoding = generator.pick([nil, nil, nil, "identity", "gzip"])
        response.transferEncoding = generator.pick([nil, nil, nil, "chunked", "gzip"])
        response.location = generator.pick([nil, "/x", ""])
        response.redirectedToNewHost = generator.chance(oneIn: 6)
        return response
    }

    /// The right answer to the request, in which up to two fields are then those of a random one.
    static func nearlyRight(
        _ request: SentRequest,
        _ stored: StoredState,
        _ generator: inout SplitMix64
    ) -> OriginResponse {
        let random = randomResponse(&generator)
        guard let range = request.range, let validator = stored.validator else { return random }
        var response = OriginResponse(status: 206, receivedAt: ResponseFixture.now)
        let total = max(validator.total ?? 4_000_000, range.first + 1)
        let last = min(range.last ?? .max, total - 1)
        response.contentRange = "bytes \(range.first)-\(last)/\(total)"
        response.contentLength = last - range.first + 1
        response.etag = validator.etag?.fieldValue
        response.lastModified = validator.lastModified?.fieldValue
        response.contentEncoding = validator.contentEncoding
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: response.contentRange = random.contentRange
            case 1: response.contentLength = random.contentLength
            case 2: response.etag = random.etag
            case 3: response.lastModified = random.lastModified
            case 4: response.contentEncoding = random.contentEncoding
            case 5: response.contentType = random.contentType
            case 6: response.status = random.status
            default: response.redirectedToNewHost = random.redirectedToNewHost
            }
        }
        return response
    }
}
