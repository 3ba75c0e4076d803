import HTTPFields
import Testing

@testable import Core

/// Dates that every version of a file may have prove nothing, however old they are.
@Suite struct ConstantDateTests {
    private static let size: Int64 = 0x1388

    @Test(
        arguments: [
            -62_135_596_800, -11_644_473_600, -1, 0, 1, 315_482_400, 315_532_800, 315_576_000, 318_211_200, 499_162_500,
        ] as [Int64]
    )
    func aDateThatToolsGiveToEveryVersionProvesNothing(seconds: Int64) {
        let validator = Self.validator(date: seconds)

        #expect(validator.strength == .none)
        #expect(!validator.hasBothForms)
    }

    @Test(arguments: [2, 86_400, 315_482_399, 315_576_001, 499_162_499, 499_162_501, 784_111_777] as [Int64])
    func anyOtherDateIsAsStrongAsBefore(seconds: Int64) {
        #expect(Self.validator(date: seconds).strength == .date(HTTPDate(secondsSinceEpoch: seconds)))
    }

    @Test(
        "nginx, Apache and aiohttp make tags of date and size",
        arguments: [
            "0-1388", "1-1388", "12cea600-1388", "1388-0", "1388-f4240", "460ff68eafc0000-1388", "1dc09d84-1388",
        ]
    )
    func aTagThatIsMadeOfSuchADateProvesNothing(tag: String) throws {
        let expected = try #require(EntityTag("\"\(tag)\""))

        #expect(ConstantDate.isEncoded(in: expected, size: Self.size, stated: nil))
        #expect(Self.validator(date: 1, tag: expected).strength == .none)
    }

    @Test(arguments: ["0-1389", "2ebcf0d1-1388", "1", "1388", "0-1388-1", "v1-1388", "-1-1388", "0-+1388", "1-", "-"])
    func anyOtherTagIsAsStrongAsBefore(tag: String) throws {
        let expected = try #require(EntityTag("\"\(tag)\""))

        #expect(Self.validator(date: 1, tag: expected).strength == .entityTag(expected))
    }

    @Test func withoutASizeTheDateMustBeTheStatedOne() throws {
        for (tag, stated, isEncoded) in [("\"1-99\"", 1, true), ("\"99-1\"", 1, true), ("\"1-99\"", 0, false)] {
            let tag = try #require(EntityTag(tag))
            let date = HTTPDate(secondsSinceEpoch: Int64(stated))

            #expect(ConstantDate.isEncoded(in: tag, size: nil, stated: date) == isEncoded)
            #expect(!ConstantDate.isEncoded(in: tag, size: nil, stated: nil))
        }
    }

    private static func validator(date: Int64, tag: EntityTag? = nil) -> Validator {
        Validator(
            etag: tag,
            lastModified: HTTPDate(secondsSinceEpoch: date),
            isLastModifiedStrong: true,
            total: size
        )
    }
}
