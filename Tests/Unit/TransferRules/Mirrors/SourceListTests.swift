import Core
import Testing
import TransferRules

@Suite struct SourceListTests {
    private static let (first, second, third) = (SourceID(0), SourceID(1), SourceID(2))

    static func url(_ number: Int) -> DownloadURL {
        DownloadURL(text: "http://\(number).example/", scheme: "http", host: "\(number).example", port: 80, path: "/")
    }

    private static func list(_ count: Int = 3) -> SourceList { SourceList((0..<count).map(url)) }

    private func next(_ list: SourceList, at now: Duration = .zero) -> SourceID? { list.next(at: now) { _ in true } }

    @Test func duplicateSourcesCountOnce() {
        #expect(SourceList([Self.url(0), Self.url(1), Self.url(0)]).ids == [Self.first, Self.second])
        #expect(SourceList((0..<40).map(Self.url)).ids.count == 33)
    }

    @Test func eachSourceGetsOneConnectionBeforeAnyGetsTwo() {
        var list = Self.list()
        var order: [SourceID?] = []
        for _ in 0..<4 {
            let id = next(list)
            order.append(id)
            if let id { list.recordOpened(id) }
        }

        #expect(order == [Self.first, Self.second, Self.third, Self.first])
    }

    @Test func theFasterIsAskedForMore() {
        var list = Self.list()
        for (id, rate) in [(Self.first, 1.0), (Self.second, 3.0), (Self.third, 2.0)] {
            list.recordOpened(id)
            list.updateRate(rate, of: id)
        }

        #expect(next(list) == Self.second)
    }

    @Test func aFailedSourceIsTriedAfterTheOthersForAWhile() {
        var list = Self.list()
        list.recordFailure(Self.first, at: .zero)

        #expect(next(list, at: .seconds(29)) == Self.second)
        #expect(next(list, at: .seconds(30)) == Self.first)
    }

    @Test func threeFailuresWithoutAByteAreTheEndOfIt() {
        var list = Self.list(1)
        for failures in 1...3 {
            list.recordFailure(Self.first, at: .zero)
            #expect((next(list, at: .seconds(9000)) == nil) == (failures == 3))
        }
        #expect(list[Self.first].state == .left(.failed))
    }

    @Test func aByteForgivesFailures() {
        var list = Self.list(1)
        for _ in 0..<9 {
            list.recordFailure(Self.first, at: .zero)
            list.recordUsed(Self.first)
        }

        #expect(list[Self.first].state == .used)
        #expect(next(list) == Self.first)
    }

    @Test(
        arguments: [
            (ResponseDecision.restart(.etagChanged, withThisBody: nil), .differs), (.collapseToSingleStream, .noRanges),
            (.requestWithoutRange(.multipart, flagsHost: true), .noRanges),
            (.fail(DownloadError(.httpClientError, message: "", httpStatus: 410)), .failed),
            (.retry(TransferFailure(DownloadError(httpStatus: 503))), nil),
        ] as [(ResponseDecision, SourceState.Reason?)]
    )
    func aRefusalSetsTheStateOfItsSource(_ decision: ResponseDecision, _ reason: SourceState.Reason?) {
        var list = Self.list()
        list.recordRefusal(Self.second, decision, others: 0, at: .zero)

        #expect(list[Self.second].state.reason == reason)
        #expect(next(list) == Self.first)
    }

    @Test func aSourceAtItsLimitKeepsItsConnections() {
        var list = Self.list(1)
        list.recordOpened(Self.first)
        list.recordRefusal(Self.first, .retry(TransferFailure(DownloadError(httpStatus: 429))), others: 1, at: .zero)

        #expect(list[Self.first].state.reason == nil)
        #expect(next(list) == nil)
        list.recordClosed(Self.first)
        #expect(next(list) == Self.first)
    }

    @Test(arguments: [(1, .failed), (2, nil)] as [(Int, SourceState.Reason?)])
    func theLastIsLeftForFailuresUnlessOthersOfItsConnectionsGoOn(_ connections: Int, _ reason: SourceState.Reason?) {
        var list = Self.list(1)
        for _ in 0..<connections { list.recordOpened(Self.first) }

        for _ in 0..<SourceList.failureLimit { list.recordFailure(Self.first, at: .zero) }

        #expect(list[Self.first].state.reason == reason)
    }

    @Test func theLastIsNotLeftForBeingSlow() {
        var list = Self.list(2)
        list.leave(Self.first, .slow)
        list.leave(Self.second, .slow)

        #expect(list[Self.first].state == .left(.slow))
        #expect(next(list) == Self.second)
    }

    @Test func anewOnlyWhatWasSaidOfTheFileIsForgotten() {
        var list = Self.list(3)
        list.leave(Self.first, .differs)
        list.leave(Self.second, .failed)
        list.recordUsed(Self.third)
        list.restart()

        #expect(list.ids.map { list[$0].state } == [.unused, .left(.failed), .unused])
    }
}

@Suite struct FailoverTests {
    private static let ids = (0..<3).map { SourceID($0) }
    private static let refused = TransferFailure(DownloadError(.connectFailed, message: "refused"))
    private static let missing = TransferFailure(DownloadError(httpStatus: 404))
    private static let gone = TransferFailure(DownloadError(httpStatus: 410))
    private static let forbidden = TransferFailure(DownloadError(httpStatus: 403))
    private static let wait = HostWait(authority: "a:80", until: nil, reason: .connectionLimit)

    private func turn(_ failover: Failover, hasBytes: Bool = true, mayJoin: Bool = true) -> Failover.NextSource? {
        failover.next(Self.ids, hasBytes: hasBytes, mayJoin: mayJoin)
    }

    @Test func eachIsAskedOnceInOrder() {
        var failover = Failover()
        for id in Self.ids {
            #expect(turn(failover) == .resume(id))
            failover.record(.failed(Self.refused), of: id)
        }
        #expect(turn(failover) == nil)
    }

    @Test func theFileRestartsOnlyWhenNoSourceCanContinue() {
        var failover = Failover()
        failover.record(.failed(Self.refused), of: SourceID(0))
        failover.recordDifference(of: SourceID(1))
        #expect(turn(failover) == .resume(SourceID(2)))
        failover.recordDifference(of: SourceID(2))
        #expect(turn(failover) == .restart(SourceID(1)))
        failover.record(.failed(Self.refused), of: SourceID(1))
        #expect(turn(failover) == .restart(SourceID(2)))
    }

    @Test func aSourceThatCannotBeComparedIsNotAdded() {
        var failover = Failover()
        failover.record(.failed(Self.refused), of: SourceID(0))

        #expect(turn(failover, mayJoin: false) == .restart(SourceID(1)))
        #expect(turn(failover, hasBytes: false, mayJoin: false) == .resume(SourceID(1)))
    }

    @Test(arguments: [
        ([refused, gone], refused), ([gone, missing], missing), ([forbidden, gone], forbidden),
        ([gone, forbidden, missing, refused], refused),
    ])
    func theFailureWithMostHopeDecides(_ failures: [TransferFailure], _ best: TransferFailure) {
        var failover = Failover()
        for (index, failure) in failures.enumerated() { failover.record(.failed(failure), of: SourceID(index)) }

        #expect(failover.failure == .failed(best))
    }

    @Test func anUntriedSourceMayStillDeliver() {
        var failover = Failover()
        failover.record(.deferred(Self.wait), of: SourceID(0))
        #expect(failover.failure == .deferred(Self.wait))
        failover.record(.failed(Self.gone), of: SourceID(1))

        let expected = TransferFailure(Self.gone.error, failureClass: .transient(.untilGivenUp))
        #expect(failover.failure == .failed(expected))
    }

    @Test func aDownloadEndsWhateverTheSourcesDo() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var failover = Failover()
            var turns = 0
            while let turn = turn(failover, hasBytes: .random(using: &random), mayJoin: .random(using: &random)) {
                turns += 1
                switch turn {
                case .resume(let id) where Bool.random(using: &random): failover.recordDifference(of: id)
                case .resume(let id), .restart(let id): failover.record(.failed(Self.refused), of: id)
                }
                guard turns <= 6 else { break }
            }
            #expect(turns <= 6)
        }
    }
}
