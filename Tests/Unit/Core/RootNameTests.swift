import Core
import Testing

@Suite
struct RootNameTests {
    @Test(arguments: ["media", "a", "0", "my-files_2", String(repeating: "a", count: 32)])
    func aNameIsRead(_ text: String) {
        #expect(RootName(text)?.text == text)
        #expect(RootName(stored: text) == RootName(text))
    }

    @Test(arguments: ["", "Media", "-a", "_a", "a b", "a/b", "..", "a.b", "é", String(repeating: "a", count: 33)])
    func anotherTextIsNoName(_ text: String) {
        #expect(RootName(text) == nil)
    }

    @Test func theRootWithoutANameIsNotShown() {
        #expect(RootName(stored: "") == .downloads)
        #expect(RootName.downloads.shown == nil)
        #expect(RootName("media")?.shown == "media")
    }

    /// The bytes of a download that has begun stay where they are.
    @Test func theRootCanBeChangedUntilTheFirstAttempt() throws {
        let media = try #require(RootName("media"))
        var download = Download(
            id: DownloadID(at: Timestamp(milliseconds: 0)),
            request: DownloadRequest(url: DownloadURL(normalized: "http://a.example/f")),
            state: .queued,
            times: Download.Times(createdAt: Timestamp(milliseconds: 0), deadlineAt: Timestamp(milliseconds: 1))
        )
        var edit = DownloadEdit()
        edit.root = media

        #expect(edit.lockedMembers(of: download).isEmpty)
        download.epoch = 1
        #expect(edit.lockedMembers(of: download) == ["root"])
        download.request.root = media
        #expect(edit.lockedMembers(of: download).isEmpty)
        edit.root = .downloads
        #expect(edit.lockedMembers(of: download) == ["root"])
    }
}
