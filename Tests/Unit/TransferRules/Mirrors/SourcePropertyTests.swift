import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules

@Suite struct SourcePropertyTests {
    /// Where no digest decides at the end, all bytes are of the version that came first; and never is one of another
    /// size among them.
    @Test func noByteComesFromASourceThatDidNotAgree() {
        for seed in 0..<20_000 {
            var simulation = SourceSimulation(seed: UInt64(seed))
            do {
                try simulation.run()
            } catch {
                Issue.record("seed \(seed): \(error.text)")
                return
            }
        }
    }

    @Test(
        arguments: [
            (ResponseFixture.validator(), true, .digest),
            (ResponseFixture.validator(), false, EntityTag("\"v1\"").map { .entityTag($0) } ?? .none),
            (ResponseFixture.validator(etag: "W/\"v1\""), false, .none),
            (ResponseFixture.validator(etag: "W/\"v1\""), true, .digest),
            (ResponseFixture.validator(etag: nil, isStrong: false), false, .none),
            (ResponseFixture.validator(total: nil), true, .none), (nil, true, .none),
        ] as [(Validator?, Bool, SourceAgreement)]
    )
    func theAgreementOfASourceDependsOnValidatorAndDigest(
        _ representation: Validator?,
        _ hasDigest: Bool,
        _ agreement: SourceAgreement
    ) {
        #expect(SourceAgreement(representation, hasDigest: hasDigest) == agreement)
    }
}

/// One download from several sources, each of which may have another version, fail, ignore ranges or change on the
/// way, in an order that the seed decides.
///
/// Beside the plan it keeps a map of the version that each byte is of.
struct SourceSimulation {
    private struct Source {
        var version: Int
        var total: Int64
        /// 0: its own for the version; 1: the one that all sources have for it; 2: none.
        let tagKind: Int
        let hasDate: Bool
        let number: Int

        var etag: String? {
            switch tagKind {
            case 0: "\"\(number)-\(version)\""
            case 1: "\"\(version)\""
            default: nil
            }
        }

        /// Long before ``ResponseFixture/now``.
        var lastModified: String? { hasDate ? "Sun, 06 Nov 1994 07:0\(version):00 GMT" : nil }
    }

    struct Fault: Error { let text: String }

    private var random: SplitMix64
    private var sources: [Source]
    private var list: SourceList
    private var own: [SourceID: Validator] = [:]
    private let hasDigest: Bool
    /// The version of each byte at hand.
    private(set) var bytes: [Int?] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        var generator = random
        let total = Int64.random(in: 1...200, using: &generator)
        sources = (0..<Int.random(in: 2...4, using: &generator)).map { number in
            Source(
                version: Int.random(in: 0...1, using: &generator),
                total: Int.random(in: 0...3, using: &generator) == 0 ? total + 1 : total,
                tagKind: Int.random(in: 0...2, using: &generator),
                hasDate: Bool.random(using: &generator),
                number: number
            )
        }
        list = SourceList(sources.indices.map(SourceListTests.url))
        hasDigest = Bool.random(using: &generator)
        random = generator
    }

    /// Fetches until the file is whole or nobody is left to ask.
    mutating func run() throws(Fault) {
        let first = respond(SentRequest(), from: .primary)
        var stored = StoredState(expectsDigest: hasDigest)
        guard case .accept(let acceptance) = validate(SentRequest(), stored, first), let total = acceptance.total else {
            return
        }
        stored.validator = acceptance.validator
        stored.durableBytes = 1
        let version = sources[0].version
        bytes = Array(repeating: nil, count: Int(total))
        var plan = SegmentPlan(total: total)
        let agreement = SourceAgreement(stored.validator, hasDigest: hasDigest)
        for step in 0..<400 where !plan.isComplete {
            if Int.random(in: 0...20, using: &random) == 0 { change() }
            let isServed = { (id: SourceID) in id == .primary || agreement != .none }
            guard let id = list.next(at: .seconds(step), where: isServed) else { return }
            list.recordOpened(id)
            try fetch(from: id, &plan, stored, agreement, step)
            list.recordClosed(id)
        }
        guard hasDigest || bytes.allSatisfy({ $0 == nil || $0 == version }) else {
            throw Fault(text: "bytes of two versions")
        }
    }

    /// A source gets another version.
    private mutating func change() {
        let index = Int.random(in: sources.indices, using: &random)
        sources[index].version = Int.random(in: 0...2, using: &random)
    }

    private mutating func fetch(
        from id: SourceID,
        _ plan: inout SegmentPlan,
        _ stored: StoredState,
        _ agreement: SourceAgreement,
        _ step: Int
    ) throws(Fault) {
        let connection = ConnectionID(id.index)
        guard case .fetch(let share)? = plan.nextShare(for: connection, leastShare: 1) else { return }
        defer { plan.release(connection) }
        let state = id == .primary ? stored : stored.requestState(forAnother: own[id], agreement)
        let next = ResumePlan(resuming: state, at: share.start, through: share.end - 1)
        guard let request = SentRequest(next, segmentIndex: 1) else { return }
        let response = respond(request, from: id)
        let decision = validate(request, state, response)
        guard case .accept(let acceptance) = decision, acceptance.writeOffset == share.start else {
            list.recordRefusal(id, decision, others: 0, at: .seconds(step))
            return
        }
        guard sources[id.index].total == stored.total else { throw Fault(text: "a file of another size was accepted") }
        if own[id] == nil { own[id] = Validator(response, total: acceptance.total) }
        list.recordUsed(id)
        let end = Int64.random(in: share.start...share.end, using: &random)
        for offset in share.start..<end { bytes[Int(offset)] = sources[id.index].version }
        plan.advance(connection, writtenTo: end)
    }

    private func validate(_ request: SentRequest, _ stored: StoredState, _ response: OriginResponse) -> ResponseDecision
    {
        ResponseValidation.validate(request: request, stored: stored, response: response)
    }

    /// What the source sends: as it should, or one of the usual faults.
    private mutating func respond(_ request: SentRequest, from id: SourceID) -> OriginResponse {
        let source = sources[id.index]
        let fault = request.range == nil ? 9 : Int.random(in: 0...9, using: &random)
        if fault == 0 { return ResponseFixture.response(503) }
        let isWhole = request.range.map { !holds($0.condition, for: source) } ?? true
        return ResponseFixture.response(isWhole || fault == 1 ? 200 : 206) { response in
            response.etag = source.etag
            response.lastModified = source.lastModified
            response.contentLength = source.total
            guard response.status == 206, let range = request.range else { return }
            let last = min(range.last ?? .max, source.total - 1)
            response.contentRange = "bytes \(range.first)-\(last)/\(source.total)"
            response.contentLength = last - range.first + 1
            // A proxy that loses validators.
            if fault == 2 { (response.etag, response.lastModified) = (nil, nil) }
        }
    }

    private func holds(_ condition: RangeCondition, for source: Source) -> Bool {
        switch condition {
        case .ifRange(let tag): tag.fieldValue == source.etag
        case .ifRangeDate(let date): date.fieldValue == source.lastModified
        case .ifUnmodifiedSince, .none: true
        }
    }
}
