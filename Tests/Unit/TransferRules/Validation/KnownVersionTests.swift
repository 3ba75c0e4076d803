import Core
import HTTPFields
import Testing
import TransferRules

/// The version of a file that need not be sent again.
@Suite struct KnownVersionTests {
    private typealias F = ResponseFixture

    private static let weak = "W/\"v1\""

    @Test(
        arguments: [
            (F.validator(), "\"v1\"", true), (F.validator(etag: nil), nil, true),
            (F.validator(isStrong: false), "\"v1\"", false), (F.validator(etag: weak, lastModified: nil), weak, false),
        ] as [(Validator, String?, Bool)]
    )
    func aTagOrAStrongDateIsACondition(_ validator: Validator, tag: String?, hasDate: Bool) throws {
        let known = try #require(KnownVersion(validator, total: F.total))

        #expect(known.etag?.fieldValue == tag)
        #expect((known.lastModified != nil) == hasDate)
    }

    @Test func aWeakDateAloneProvesNothing() {
        #expect(KnownVersion(F.validator(etag: nil, isStrong: false), total: F.total) == nil)
        #expect(KnownVersion(F.validator(etag: nil, lastModified: nil), total: F.total) == nil)
        #expect(KnownVersion(F.validator(etag: nil, lastModified: F.epoch), total: F.total) == nil)
        #expect(KnownVersion(F.validator(etag: "W/\"1-3d0900\"", lastModified: F.epoch), total: F.total) == nil)
    }

    @Test func aConditionThatWasSentMayBeAnsweredWith304() {
        var request = SentRequest()
        request.known = KnownVersion(F.validator(), total: F.total)
        let response = F.response(304)

        #expect(
            ResponseValidation.validate(request: request, stored: StoredState(), response: response) == .notModified
        )
        #expect(
            ResponseValidation.validate(request: SentRequest(), stored: StoredState(), response: response)
                != .notModified
        )
    }

    @Test(
        arguments: [
            (F.validator(), F.validator(), true), (F.validator(), F.validator(etag: "\"v2\""), false),
            (F.validator(), F.validator(total: 7), false), (F.validator(etag: nil), F.validator(etag: nil), true),
            (F.validator(etag: nil), F.validator(etag: nil, lastModified: F.laterModified), false),
            (F.validator(etag: weak), F.validator(etag: weak), false),
        ] as [(Validator, Validator, Bool)]
    )
    func theSameVersionIsToldByAStrongValidator(_ known: Validator, _ received: Validator, isSame: Bool) throws {
        let version = try #require(KnownVersion(known, total: F.total))

        #expect(version.isSame(as: received) == isSame)
    }
}
