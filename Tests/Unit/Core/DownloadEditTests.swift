import Core
import HTTPFields
import TestSupport
import Testing

@Suite struct DownloadEditTests {
    private static let url = DownloadURL(
        text: "https://b.example/x",
        scheme: "https",
        host: "b.example",
        port: 443,
        path: "/x"
    )

    /// An edit of everything that can be edited.
    private static var full: DownloadEdit {
        var edit = DownloadEdit()
        edit.url = url
        edit.mirrors = ["http://c.example/"]
        edit.refreshURL = .set("http://d.example/")
        edit.credentials = .set(SealedCredentials(bytes: [1]))
        edit.summary = RequestSummary(headerNames: ["Cookie"])
        edit.credentialMembers = ["request_headers"]
        edit.changes = [
            MemberChange(\.acceptsHTML, to: true, of: "accept_html", lock: .inUse),
            MemberChange(\.deadline, to: .at(Timestamp(milliseconds: 5)), of: "deadline_at", lock: .afterRun),
            MemberChange(\.maxBytes, to: 7, of: "limits", lock: .afterRun),
            MemberChange(\.rateBytesPerSecond, to: 2048, of: "limits", lock: .afterRun),
            MemberChange(\.maxAttempts, to: 2, of: "max_attempts", lock: .afterRun),
            MemberChange(\.retry.giveUpAfter, to: WholeSeconds(90), of: "timeouts", lock: .afterRun),
            MemberChange(\.retry.statuses, to: HTTPStatuses([503]), of: "retry", lock: .afterRun),
            MemberChange(\.priority, to: Priority(clamping: 5), of: "priority", lock: .afterRun),
            MemberChange(\.notBefore, to: Timestamp(milliseconds: 3), of: "not_before_at", lock: .runningOrEnded),
        ]
        edit.labels = .set(JSONText(canonical: "{}"))
        edit.metadata = .clear
        return edit
    }

    @Test(
        arguments: [
            (.queued, []), (.waiting, []), (.paused, []),
            (.running, ["url", "mirrors", "request_headers", "accept_html", "not_before_at"]),
            (
                .failed,
                ["deadline_at", "limits", "max_attempts", "timeouts", "retry", "priority", "not_before_at"]
            ),
            (
                .cancelled,
                ["deadline_at", "limits", "max_attempts", "timeouts", "retry", "priority", "not_before_at"]
            ),
            (
                .completed,
                [
                    "url", "mirrors", "request_headers", "refresh_url", "accept_html", "deadline_at", "limits",
                    "max_attempts", "timeouts", "retry", "priority", "not_before_at",
                ]
            ),
        ] as [(DownloadState, [String])]
    )
    func aStateLocksWhatItNoLongerUses(_ state: DownloadState, _ members: [String]) {
        #expect(Self.full.lockedMembers(in: state) == members)
    }

    @Test(
        arguments: [
            (.queued, []), (.waiting, []), (.paused, []), (.running, []), (.failed, ["session", "webhook_ids"]),
            (.cancelled, ["session", "webhook_ids"]),
            (.completed, ["directory", "filename", "expected", "session", "webhook_ids"]),
        ] as [(DownloadState, [String])]
    )
    func anEndLocksTheAssignment(_ state: DownloadState, _ members: [String]) throws {
        var edit = DownloadEdit()
        edit.session = .clear
        edit.directory = .clear
        edit.filename = .set(try FileName(validating: "a"))
        edit.expected = Expected(sizeBytes: 1)
        edit.webhookIDs = []

        #expect(edit.lockedMembers(in: state) == members)
    }

    @Test func expectationsAreMergedNameByName() {
        let (md5, sha) = (
            Digest(algorithm: .md5, bytes: Array(repeating: 1, count: 16)),
            Digest(algorithm: .sha256, bytes: Array(repeating: 2, count: 32))
        )
        let old = Expected(sizeBytes: 5, digests: [md5])
        var patch = ExpectedPatch()
        #expect(patch.applied(to: old) == old)
        patch.digests = [.sha256: .set(sha), .md5: .clear]
        #expect(patch.applied(to: old) == Expected(sizeBytes: 5, digests: [sha]))
        patch.sizeBytes = .clear
        #expect(patch.applied(to: old) == Expected(digests: [sha]))
        #expect(ExpectedPatch.clear.applied(to: old) == Expected())
    }

    @Test(arguments: DownloadState.allCases)
    func labelsAndMetadataAreNeverLocked(_ state: DownloadState) {
        var edit = DownloadEdit()
        edit.labels = .clear
        edit.metadata = .set(JSONText(canonical: "{}"))

        #expect(edit.lockedMembers(in: state).isEmpty)
        #expect(DownloadEdit().lockedMembers(in: state).isEmpty)
    }

    @Test func onlyTheNamedMembersChange() {
        var old = DownloadRequest(url: Self.url)
        old.summary = RequestSummary(headerNames: ["Accept"])
        old.maxBytes = 3
        old.labels = JSONText(canonical: "{\"a\":\"b\"}")
        var changed = old
        var edit = DownloadEdit()
        #expect(edit.isEmpty)
        edit.apply(to: &changed)
        #expect(changed == old)

        edit.set(\.maxBytes, to: nil)
        edit.set(\.deadline, to: .at(Timestamp(milliseconds: 9)))
        edit.apply(to: &changed)

        var expected = old
        expected.maxBytes = nil
        expected.deadline = .at(Timestamp(milliseconds: 9))
        #expect(!edit.isEmpty)
        #expect(changed == expected)
    }

    @Test func aChangeIsReadByItsMember() {
        #expect(Self.full[\.maxAttempts] == .some(2))
        #expect(Self.full[\.connections] == nil)
        #expect(with(DownloadEdit()) { $0.set(\.maxBytes, to: nil) }[\.maxBytes] == .some(nil))
    }

    @Test func changesAreEqualIfMemberLockAndValueAre() {
        let change = MemberChange(\.maxBytes, to: 7, of: "limits", lock: .afterRun)

        #expect(change == MemberChange(\.maxBytes, to: 7, of: "limits", lock: .afterRun))
        #expect(change != MemberChange(\.maxBytes, to: 8, of: "limits", lock: .afterRun))
        #expect(change != MemberChange(\.maxBytes, to: 7, of: "limits", lock: .never))
        #expect(change != MemberChange(\.rateBytesPerSecond, to: 7, of: "limits", lock: .afterRun))
    }

    @Test func aFullEditChangesEveryMember() {
        var request = DownloadRequest(
            url: DownloadURL(text: "http://a/", scheme: "http", host: "a", port: 80, path: "/")
        )
        request.metadata = JSONText(canonical: "{\"a\":1}")
        Self.full.apply(to: &request)

        #expect(request.url == Self.url)
        #expect(request.mirrors == ["http://c.example/"])
        #expect(request.refreshURL == "http://d.example/")
        #expect(request.credentials == SealedCredentials(bytes: [1]))
        #expect(request.summary.headerNames == ["Cookie"])
        #expect(request.deadline == .at(Timestamp(milliseconds: 5)))
        #expect(request.maxBytes == 7)
        #expect(request.rateBytesPerSecond == 2048)
        #expect(request.maxAttempts == 2)
        #expect(request.retry.giveUpAfter == WholeSeconds(90))
        #expect(request.retry.statuses == HTTPStatuses([503]))
        #expect(request.priority == Priority(5))
        #expect(request.notBefore == Timestamp(milliseconds: 3))
        #expect(request.labels == JSONText(canonical: "{}"))
        #expect(request.metadata == nil)
    }
}
