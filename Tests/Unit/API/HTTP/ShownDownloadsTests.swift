import Core
import HTTPServer
import HTTPTypes
import TestSupport
import Testing

@testable import API

@Suite struct ShownDownloadsTests {
    private let shown = ShownDownloads()
    private let made = Counter()

    /// The bytes of the response, which is made as the API makes it.
    private func bytes(_ body: DownloadBody) -> [UInt8]? {
        let (etag, response) = shown.response(for: body) { etag in
            _ = made.increment()
            return .json(.ok, body.encoded(), [.eTag: etag])
        }
        guard etag == body.etag, response.headerFields[.eTag] == etag, case .bytes(let bytes) = response.body else {
            return nil
        }
        return bytes
    }

    private static func body(_ download: Download, fileAvailable: Bool = true) -> DownloadBody {
        DownloadBody(download: download, fileAvailable: fileAvailable)
    }

    @Test(arguments: DownloadState.allCases)
    func anUnchangedDownloadIsEncodedOnce(state: DownloadState) throws {
        let download = try Samples.full(state)
        // A row that was read again shares nothing with the first one.
        let again = try Samples.full(state)

        #expect(bytes(Self.body(download)) == Self.body(download).encoded())
        #expect(bytes(Self.body(again)) == Self.body(again).encoded())
        #expect(made.value == 1)
    }

    /// Each of these changes may be made without a new revision.
    @Test func everyChangeOfTheRecordIsShown() throws {
        let first = try Samples.full()
        var changed = [first]
        for change in [
            { $0.file?.isMissing = true }, { $0.file?.expiredAt = Timestamp(milliseconds: 5) },
            { $0.progress.durableBytes += 1 }, { $0.source.etag = nil }, { $0.error = nil },
            { $0.times.finishedAt = Timestamp(milliseconds: 9) }, { $0.request.priority = Priority(clamping: 3) },
            { $0.request.webhookIDs = [] }, { $0.revision += 1 },
        ] as [(inout Download) -> Void] {
            var download = first
            change(&download)
            changed.append(download)
        }
        for download in changed + changed {
            #expect(bytes(Self.body(download)) == Self.body(download).encoded())
        }
        #expect(bytes(Self.body(first, fileAvailable: false)) == Self.body(first, fileAvailable: false).encoded())
    }

    @Test func aDownloadWithProgressOrADeferralIsEncodedEachTime() throws {
        let reading = ProgressReading(
            phase: .transferring,
            receivedBytes: 1,
            totalBytes: 9,
            bytesPerSecond: 1,
            connections: 1
        )
        let live = LiveProgress(reading, at: Timestamp(milliseconds: 0))
        let running = DownloadBody(download: try Samples.full(.running), liveProgress: live, fileAvailable: true)
        let held = DownloadBody(download: try Samples.full(.queued), fileAvailable: true, deferral: .pause(until: nil))

        for body in [running, held, running, held] { #expect(bytes(body) == body.encoded()) }

        #expect(made.value == 4)
    }

    @Test func manyDownloadsAreEachShownAsTheyAre() throws {
        let downloads = (0..<700).map { number in
            Download(
                id: DownloadID(at: Timestamp(milliseconds: 0), number: number),
                request: Samples.request(),
                state: .paused,
                times: Download.Times(
                    createdAt: Timestamp(milliseconds: 0),
                    deadlineAt: Timestamp(milliseconds: Int64(number))
                )
            )
        }

        for download in downloads + downloads.reversed() {
            #expect(bytes(Self.body(download)) == Self.body(download).encoded())
        }
    }
}
