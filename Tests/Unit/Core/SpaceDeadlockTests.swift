import Core
import TestSupport
import Testing

/// Which part file is given up when downloads of unknown length hold the space of a disk from one another.
struct SpaceDeadlockTests {
    /// Downloads that wait for space, the oldest first, with the bytes that each holds and its length.
    private static func waiting(_ parts: [(held: Int64, total: Int64?)]) -> [Download] {
        parts.map { held, total in
            let now = Timestamp(milliseconds: 0)
            var download = Download(
                id: DownloadID(at: now),
                request: DownloadRequest(url: "http://a.example/f"),
                state: .waiting,
                times: Download.Times(createdAt: now, deadlineAt: now)
            )
            (download.progress.durableBytes, download.progress.totalBytes) = (held, total)
            return download
        }
    }

    /// The position of the part that is given up.
    ///
    /// - Parameter need: What an attempt of the oldest has found that it needs.
    private static func givenUp(_ parts: [(held: Int64, total: Int64?)], room: Int64, need: Int64? = nil) -> Int? {
        let oldest = waiting(parts)
        var needs = DownloadSpaceNeeds(unknownLength: 2)
        needs.known[oldest[0].id] = need
        let deadlock = SpaceDeadlock(oldest: oldest, youngest: oldest.reversed(), room: room, needs: needs)
        return deadlock.givenUp.flatMap { given in oldest.firstIndex { $0.id == given.id } }
    }

    @Test func theYoungestWithBytesGivesWay() {
        #expect(Self.givenUp([(5, nil), (5, nil), (5, nil)], room: 0) == 2)
        #expect(Self.givenUp([(5, nil), (5, nil), (0, nil)], room: 0) == 1)
    }

    @Test func noneGivesWayIfTheOldestCanContinue() {
        #expect(Self.givenUp([(5, nil), (5, nil)], room: 2) == nil)
    }

    @Test func noneGivesWayIfThatIsNotEnough() {
        #expect(Self.givenUp([(5, nil), (1, nil)], room: -3) == nil)
        #expect(Self.givenUp([(5, nil)], room: 0) == nil)
    }

    /// Otherwise a part would be given up again and again, and the oldest would wait as before.
    @Test func theSizeThatAnAttemptFoundCounts() {
        #expect(Self.givenUp([(5, nil), (3, nil)], room: 2, need: 6) == nil)
        #expect(Self.givenUp([(5, nil), (4, nil)], room: 2, need: 6) == 1)
    }

    @Test func aPartOfKnownLengthIsKept() {
        #expect(Self.givenUp([(5, nil), (5, 10)], room: 0) == nil)
    }
}
