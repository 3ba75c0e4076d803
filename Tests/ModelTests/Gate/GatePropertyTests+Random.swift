import Core
import TestSupport
import TransferRules

extension GatePropertyTests {
    private static let offsets: [Int64] = [
        0, 1, 10, 65_535, 65_536, 100_000, 2_400_000, 3_999_999, 4_000_000, 4_000_001,
    ]

    static func randomState(_ generator: inout SplitMix64) -> StoredState {
        let validator = GateFixture.validator(
            etag: generator.pick(["\"v1\"", "\"v1\"", "\"v2\"", "W/\"v1\"", nil]),
            lastModified: generator.pick([GateFixture.modified, GateFixture.modified, GateFixture.laterModified, nil]),
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
            suspectAnswers: generator.pick([0, 0, 1, 3, 4])
        )
        state.isJudgedByDigest = generator.chance(oneIn: 2)
        state.ifRangeForm = generator.pick([.tag, .date])
        state.hasOtherIfRange = generator.chance(oneIn: 3)
        return state
    }

    /// What the ladder asks, or now and then something that it never would.
    static func randomRequest(
        _ stored: StoredState,
        _ generator: inout SplitMix64
    ) -> RequestAsked {
        let planned = RequestAsked(ResumePlan(resuming: stored))
        var request = planned ?? RequestAsked()
        if generator.chance(oneIn: 4) {
            let first = generator.pick(offsets)
            request.range = AskedRange(
                first: first,
                last: generator.pick([nil, first, first + 100, 3_999_999]),
                condition: generator.pick([.none(overlap: 0), .none(overlap: 65_536), GateFixture.ifRange])
            )
        }
        request.segmentIndex = generator.pick([0, 0, 0, 1, 7])
        request.isPlainRepeat = generator.chance(oneIn: 5)
        return request
    }

    static func randomResponse(_ generator: inout SplitMix64) -> OriginResponse {
        let statuses = [200, 200, 203, 204, 206, 206, 206, 206, 206, 302, 304, 401, 404, 412, 416, 416, 503, 511]
        var response = OriginResponse(status: generator.pick(statuses), receivedAt: GateFixture.now)
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
            GateFixture.modified, GateFixture.modified, GateFixture.laterModified, nil, "bad",
        ])
        response.date = generator.pick([GateFixture.now.fieldValue, nil])
        response.contentType = generator.pick(["application/zip", "text/html", "multipart/byteranges", nil])
        response.contentEncoding = generator.pick([nil, nil, nil, "identity", "gzip"])
        response.transferEncoding = generator.pick([nil, nil, nil, "chunked", "gzip"])
        response.location = generator.pick([nil, "/x", ""])
        response.redirectedToNewHost = generator.chance(oneIn: 6)
        return response
    }

    /// The right answer to the request, in which up to two fields are then those of a random one.
    static func nearlyRight(
        _ asked: RequestAsked,
        _ stored: StoredState,
        _ generator: inout SplitMix64
    ) -> OriginResponse {
        let random = randomResponse(&generator)
        guard let range = asked.range, let validator = stored.validator else { return random }
        var response = OriginResponse(status: 206, receivedAt: GateFixture.now)
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
