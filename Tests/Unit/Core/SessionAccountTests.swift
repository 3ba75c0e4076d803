import Core
import TestSupport
import Testing

@Suite struct SessionAccountTests {
    private static let start = Timestamp(milliseconds: 1000)

    private static func at(_ seconds: Int64) -> Timestamp { start + .seconds(seconds) }

    private static func download(_ state: DownloadState, bytes: Int64) -> Download {
        with(
            Download(
                id: DownloadID(first: start),
                request: DownloadRequest(url: "https://a.example/file"),
                state: state,
                times: Download.Times(createdAt: start, deadlineAt: at(60))
            )
        ) { $0.progress.durableBytes = bytes }
    }

    private func account() throws -> SessionAccount {
        SessionAccount(try #require(SessionName("s")), at: Self.start)
    }

    @Test func theLastOpenDownloadEndsTheEpoch() throws {
        var account = try account()

        let epochs = [account.open(at: Self.at(1)), account.open(at: Self.at(2))]
        #expect(epochs == [1, 1])
        let early = account.close(at: Self.at(3))
        #expect(early == nil)
        let closed = account.close(at: Self.at(4))
        let finished = try #require(closed)
        #expect(finished.epoch == 1 && finished.startedAt == Self.at(1) && finished.finishedAt == Self.at(4))
        #expect(account.session.epoch == 2 && account.session.finishedAt == Self.at(4))
        let next = account.open(at: Self.at(5))
        #expect(next == 2)
        #expect(account.session.finishedAt == nil && account.epochStartedAt == Self.at(5))
    }

    @Test func anEpochReportsWhatEndedInItAndTheNextOneBeginsAtZero() throws {
        var account = try account()
        for _ in 0..<4 { _ = account.open(at: Self.start) }
        for (state, bytes) in [(DownloadState.completed, 5), (.completed, 6), (.failed, 7), (.cancelled, 8)] {
            account.countEnded(from: nil, to: Self.download(state, bytes: Int64(bytes)))
        }
        for _ in 0..<3 { _ = account.close(at: Self.start) }
        let closed = account.close(at: Self.start)
        let finished = try #require(closed)

        #expect(finished.counts == [.completed: 2, .failed: 1, .cancelled: 1])
        #expect(finished.receivedBytes == 26)
        #expect(account.ended == SessionAccount.Ended())
    }

    @Test func aRetriedDownloadIsNoLongerCounted() throws {
        var account = try account()
        let failed = Self.download(.failed, bytes: 7)
        account.countEnded(from: nil, to: failed)
        account.countEnded(from: failed, to: nil)

        #expect(account.ended == SessionAccount.Ended())
    }

    @Test func anOpenDownloadDoesNotCountAsEnded() throws {
        var account = try account()
        for state in DownloadState.allCases where !state.isTerminal {
            account.countEnded(from: nil, to: Self.download(state, bytes: 7))
        }

        #expect(account.ended == SessionAccount.Ended())
    }

    @Test func aDownloadRestoresADeletedSessionAndContinuesItsEpochs() throws {
        var account = try account()
        _ = account.open(at: Self.start)
        _ = account.close(at: Self.start)
        account.isDeleted = true

        let epoch = account.open(at: Self.at(9))
        #expect(epoch == 2)
        #expect(!account.isDeleted && account.session.createdAt == Self.at(9))
    }

    @Test(arguments: [(Int64?.none, 1000, true), (100, 40, true), (100, 41, false), (50, 0, true), (50, 1, false)])
    func theQuotaRefusesOnlyAdditionalBytes(_ limit: Int64?, _ bytes: Int64, _ isAllowed: Bool) throws {
        var account = try account()
        account.session.usedBytes = 60
        account.session.settings.maxBytes = limit

        #expect(account.hasRoom(for: bytes) == isAllowed)
    }
}
