@testable import Curl
import Testing

/// What is read from an FTP server's replies.
struct FTPRepliesTests {
    private static func replies(_ lines: [String], size: Int64? = nil) -> FTPReplies {
        var replies = FTPReplies()
        for line in lines {
            unsafe Array("\(line)\r\n".utf8).withUnsafeBytes { unsafe replies.take($0, size: size) }
        }
        return replies
    }

    @Test(
        arguments: [
            (["230-Hi", "230-150 users", " 226 all", "230 ok"], 230), (["230-Hi", "all", "200 ok"], 200),
            (["220-Hi", "there", "220-", "220 ok", "331 who"], 331), (["226 all", "221 bye"], 226), (["226"], nil),
            (["+26 all"], nil), (["230-Hi"], nil),
        ] as [([String], Int?)]
    )
    func aReplyOfSeveralLinesEndsWithANumberAndASpace(_ lines: [String], _ last: Int?) {
        let replies = Self.replies(lines, size: 9)

        #expect(replies.last == last)
        #expect(replies.opening == nil && replies.toldSize == nil && replies.announcedSize == nil)
    }

    @Test
    func aWelcomeThatLibcurlTakesForTheBeginningOfTheDataIsTakenForItHereToo() {
        let replies = Self.replies(["220-Hi", "150 users are here (7 bytes)", "220 ok"])

        #expect(replies.opening == 150 && replies.announcedSize == 7)
    }

    @Test(
        arguments: [
            ("150 a.iso (1000 bytes).", 1000), ("150 a (b).iso (1000 bytes)", 1000), ("125 here", nil),
            ("150 1000 bytes", nil), ("150 (some bytes)", nil), ("150 (99999999999999999999 bytes)", nil),
        ] as [(String, Int64?)]
    )
    func theLengthNamedInPassingIsKeptApart(_ line: String, _ length: Int64?) {
        let replies = Self.replies([line], size: 9)

        #expect(replies.opening != nil && replies.toldSize == 9)
        #expect(replies.announcedSize == length)
    }
}
