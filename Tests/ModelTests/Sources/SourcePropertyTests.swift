import Core
import HTTPFields
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
            (GateFixture.validator(), true, .digest),
            (GateFixture.validator(), false, EntityTag("\"v1\"").map { .entityTag($0) } ?? .none),
            (GateFixture.validator(etag: "W/\"v1\""), false, .none),
            (GateFixture.validator(etag: "W/\"v1\""), true, .digest),
            (GateFixture.validator(etag: nil, isStrong: false), false, .none),
            (GateFixture.validator(total: nil), true, .none), (nil, true, .none),
        ] as [(Validator?, Bool, SourceAgreement)]
    )
    func whatHasToAgree(_ representation: Validator?, _ hasDigest: Bool, _ agreement: SourceAgreement) {
        #expect(SourceAgreement(representation, hasDigest: hasDigest) == agreement)
    }
}
