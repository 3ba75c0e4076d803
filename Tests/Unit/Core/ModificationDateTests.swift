import Core
import HTTPFields
import Testing

@Suite struct ModificationDateTests {
    /// Tue, 15 Nov 1994 12:00:00 GMT.
    private static let now = Timestamp(milliseconds: 784_900_800_000)

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", nil),
            ("Wed, 16 Nov 1994 12:00:00 GMT", 784_987_200), ("Wed, 16 Nov 1994 12:00:01 GMT", nil),
            ("Fri, 31 Dec 9999 23:59:59 GMT", nil), ("yesterday", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func aDateIsUsedIfItCanBeRight(_ lastModified: String, seconds: Int64?) {
        var source = Download.Source()
        source.lastModified = lastModified

        #expect(source.modificationDate(now: Self.now)?.secondsSinceEpoch == seconds)
    }

    @Test func withoutADateThereIsNone() {
        #expect(Download.Source().modificationDate(now: Self.now) == nil)
    }

    @Test(arguments: [(0, 0), (1_999_999, 1), (-1, -1), (-1_000_000, -1)] as [(Int64, Int64)])
    func theTimeOfAFileIsRoundedDown(_ nanoseconds: Int64, milliseconds: Int64) {
        let file = PublishedFile(
            path: "a",
            digests: [],
            identity: .file(size: 0, modified: nanoseconds)
        )

        #expect(file.modifiedAt == Timestamp(milliseconds: milliseconds))
    }
}
