import Core
import TestSupport
import Testing
import TransferRules

struct HostSharesTests {
    private static let begin = Timestamp(milliseconds: 1_000_000)
    private static let downloads = (0..<6).map { DownloadID(at: begin + .seconds($0)) }

    /// One where each of the first downloads has so many connections.
    private static func shares(_ counts: Int...) -> HostShares {
        var shares = HostShares()
        for (download, count) in zip(downloads, counts) {
            for _ in 0..<count { shares.recordOpened(by: download) }
        }
        return shares
    }

    private static func all(_ shares: HostShares, limit: Int, at now: Timestamp = begin) -> [Int] {
        downloads.prefix(shares.downloads).map { shares.share(of: $0, limit: limit, at: now) }
    }

    @Test func aSingleDownloadGetsAllConnections() {
        #expect(Self.all(Self.shares(1), limit: 8) == [8])
        #expect(HostShares().share(of: Self.downloads[0], limit: 8, at: Self.begin) == 8)
    }

    @Test func aSatisfiedDownloadKeepsItsConnectionsAndLeavesTheRest() {
        #expect(Self.all(Self.shares(6, 2), limit: 8) == [6, 4])
        #expect(Self.all(Self.shares(3, 2), limit: 8) == [6, 5])
    }

    @Test func aDownloadThatWantsMoreGetsUpToAnEqualShare() {
        var shares = Self.shares(7, 1)
        shares.recordDemand(of: Self.downloads[1], for: 1, at: Self.begin)
        #expect(Self.all(shares, limit: 8) == [6, 4])

        shares.recordDemand(of: Self.downloads[1], for: 7, at: Self.begin)
        #expect(Self.all(shares, limit: 8) == [4, 4])
    }

    @Test func theRemainderOfAnUnevenShareGoesToOlderDownloads() {
        var shares = Self.shares(5, 2, 1)
        for download in Self.downloads { shares.recordDemand(of: download, for: 8, at: Self.begin) }

        #expect(Self.all(shares, limit: 8) == [3, 3, 2])
    }

    @Test func aDemandIsForgottenUnlessItIsRepeated() {
        var shares = Self.shares(6, 2)
        shares.recordDemand(of: Self.downloads[1], for: 8, at: Self.begin)

        #expect(Self.all(shares, limit: 8, at: Self.begin + .milliseconds(1900)) == [4, 4])
        #expect(Self.all(shares, limit: 8, at: Self.begin + .seconds(2)) == [6, 4])
    }

    @Test func oneConnectionIsKeptForRefusedDownloads() {
        var shares = Self.shares(8)
        for download in Self.downloads[2...] { shares.recordTurnedAway(download, at: Self.begin) }

        #expect(Self.all(shares, limit: 8) == [7])
        #expect(Self.all(shares, limit: 8, at: Self.begin + .seconds(20)) == [8])
    }

    @Test func oneConnectionIsKeptForEachStartingDownload() {
        var shares = Self.shares(8)
        shares.recordStarting(Array(Self.downloads[1...2]), at: Self.begin)
        #expect(Self.all(shares, limit: 8) == [6])
        #expect(shares.starting(at: Self.begin) == 2)

        shares.recordOpened(by: Self.downloads[1])
        #expect(shares.starting(at: Self.begin) == 1)
        #expect(shares.starting(at: Self.begin + .seconds(5)) == 0)
    }

    @Test func aReservedConnectionIsNotTakenByAnother() {
        var shares = Self.shares(6, 1)
        shares.recordTurnedAway(Self.downloads[2], at: Self.begin)
        shares.recordClosed(by: Self.downloads[1])
        shares.recordOpened(by: Self.downloads[1])
        #expect(shares.share(of: Self.downloads[0], limit: 8, at: Self.begin) == 6)

        shares.recordOpened(by: Self.downloads[2])
        shares.recordClosed(by: Self.downloads[2])
        #expect(shares.share(of: Self.downloads[0], limit: 8, at: Self.begin) == 7)
    }

    @Test func somebodyWhoWaitsIsWaitedForWithoutEnd() {
        var shares = Self.shares(8)
        shares.isAwaited = true

        #expect(Self.all(shares, limit: 8, at: Self.begin + .seconds(3600)) == [7])
        #expect(shares.isContended(besides: Self.downloads[0], at: Self.begin))
    }

    @Test func reservationsFromBeforeTheClockWasSetBackEnd() {
        var shares = Self.shares(8)
        shares.recordTurnedAway(Self.downloads[1], at: Self.begin + .seconds(3600))
        shares.recordStarting([Self.downloads[2]], at: Self.begin + .seconds(3600))

        #expect(Self.all(shares, limit: 8) == [8])
    }

    @Test func noDownloadReleasesItsOnlyConnection() {
        var shares = Self.shares(1, 1)
        shares.isAwaited = true

        #expect(Self.all(shares, limit: 2) == [1, 1])
        #expect(Self.all(shares, limit: 1) == [1, 1])
    }

    @Test func aConnectionThatWasNeverOpenedIsNotSubtracted() {
        var shares = Self.shares(2)
        shares.recordClosed(by: Self.downloads[1])
        for _ in 0..<3 { shares.recordClosed(by: Self.downloads[0]) }

        #expect(shares.open == 0)
        #expect(shares.downloads == 0)
    }

    /// Whoever has fewer than its share and asks for it gets there, whatever the others have.
    @Test(arguments: 0..<200) func theSharesOfThoseWhoWouldHaveMoreFillTheLimitAndDifferByOneAtMost(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = Int.random(in: 1...24, using: &random)
        var shares = HostShares()
        var left = limit
        for download in Self.downloads where left > 0 {
            let count = Int.random(in: 1...left, using: &random)
            for _ in 0..<count { shares.recordOpened(by: download) }
            left -= count
        }
        for download in Self.downloads { shares.recordDemand(of: download, for: 24, at: Self.begin) }
        let all = Self.all(shares, limit: limit)

        #expect(all.reduce(0, +) == limit)
        #expect((all.max() ?? 0) - (all.min() ?? 0) <= 1)
        #expect(all == all.sorted(by: >))
    }
}

extension HostSharesTests {
    /// What a download can use is compared with its share, which is then exact or larger than that.
    @Test(arguments: 0..<200) func aShareIsExactUpToWhatIsEnough(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var shares = HostShares()
        for download in Self.downloads {
            for _ in 0..<Int.random(in: 1...6, using: &random) { shares.recordOpened(by: download) }
            guard random.chance(oneIn: 2) else { continue }
            shares.recordDemand(of: download, for: Int.random(in: 1...9, using: &random), at: Self.begin)
        }
        let limit = Int.random(in: 1...60, using: &random)
        for download in Self.downloads {
            let exact = shares.share(of: download, limit: limit, at: Self.begin)
            for enough in 1...16 {
                let share = shares.share(of: download, limit: limit, enough: enough, at: Self.begin)
                #expect(min(share, enough) == min(exact, enough))
            }
        }
    }

    /// The same as by looking at each of them.
    @Test(arguments: 0..<100) func theSharesFollowWhatIsOpenedAndClosed(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var shares = HostShares()
        var counts: [DownloadID: Int] = [:]
        for _ in 0..<60 {
            let download = random.pick(Self.downloads)
            if random.chance(oneIn: 3) {
                shares.recordClosed(by: download)
                counts[download] = max((counts[download] ?? 0) - 1, 0)
            } else {
                shares.recordOpened(by: download)
                counts[download, default: 0] += 1
            }
        }
        var copy = HostShares()
        for (download, count) in counts { for _ in 0..<count { copy.recordOpened(by: download) } }
        for download in Self.downloads {
            #expect(
                shares.share(of: download, limit: 20, at: Self.begin)
                    == copy.share(of: download, limit: 20, at: Self.begin)
            )
        }
        #expect(shares.open == counts.values.reduce(0, +))
    }
}

struct HostConnectionLimitTests {
    private static let begin = Timestamp(milliseconds: 1_000_000)
    private var limit = HostConnectionLimit()

    @Test func noConnectionLimitIsKnownAtFirst() {
        #expect(limit.most(at: Self.begin) == nil)
    }

    @Test mutating func asManyAreAllowedAsWereAtWorkWhenOneMoreWasRefused() {
        limit.recordRefusal(beside: 3, at: Self.begin)

        #expect(limit.most(at: Self.begin) == 3)
    }

    @Test mutating func fewerAreAllowedAfterAnotherRefusalAndNeverMore() {
        for working in [3, 1, 5] { limit.recordRefusal(beside: working, at: Self.begin) }

        #expect(limit.most(at: Self.begin) == 1)
    }

    @Test mutating func theRefusalOfTheOnlyConnectionSaysNothingOfTheirNumber() {
        limit.recordRefusal(beside: 0, at: Self.begin)

        #expect(limit.most(at: Self.begin) == nil)
    }

    @Test mutating func theRefusalOfALinkIsNoneOfTheNumber() {
        limit.recordRefusal(beside: 2, at: Self.begin)

        limit.recordURLRefusal()

        #expect(limit.most(at: Self.begin) == nil)
    }

    @Test(arguments: [(599, 2), (600, nil), (-1, nil)] as [(Int, Int?)])
    mutating func aLearnedLimitIsForgottenAfterTenMinutesAndWhenTheClockIsSetBack(second: Int, most: Int?) {
        limit.recordRefusal(beside: 2, at: Self.begin)

        #expect(limit.most(at: Self.begin + .seconds(second)) == most)
    }
}
