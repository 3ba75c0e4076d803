import Core
import Testing
import TransferRules

@Suite struct FailoverTests {
    private static let ids = (0..<3).map { SourceID($0) }
    private static let refused = TransferFailure(DownloadError(.connectFailed, message: "refused"))
    private static let missing = TransferFailure(DownloadError(httpStatus: 404))
    private static let gone = TransferFailure(DownloadError(httpStatus: 410))
    private static let forbidden = TransferFailure(DownloadError(httpStatus: 403))
    private static let wait = HostWait(authority: "a:80", until: nil, reason: .cap)

    private func turn(_ failover: Failover, hasBytes: Bool = true, mayJoin: Bool = true) -> Failover.Turn? {
        failover.next(Self.ids, hasBytes: hasBytes, mayJoin: mayJoin)
    }

    @Test func eachIsAskedOnceInOrder() {
        var failover = Failover()
        for id in Self.ids {
            #expect(turn(failover) == .goOn(id))
            failover.note(Self.refused, of: id)
        }
        #expect(turn(failover) == nil)
    }

    @Test func theFileBeginsAnewOnlyWhenNobodyCanGoOn() {
        var failover = Failover()
        failover.note(Self.refused, of: SourceID(0))
        failover.noteDifference(of: SourceID(1))
        #expect(turn(failover) == .goOn(SourceID(2)))
        failover.noteDifference(of: SourceID(2))
        #expect(turn(failover) == .beginAnew(SourceID(1)))
        failover.note(Self.refused, of: SourceID(1))
        #expect(turn(failover) == .beginAnew(SourceID(2)))
    }

    @Test func whatCannotBeComparedIsNotAdded() {
        var failover = Failover()
        failover.note(Self.refused, of: SourceID(0))

        #expect(turn(failover, mayJoin: false) == .beginAnew(SourceID(1)))
        #expect(turn(failover, hasBytes: false, mayJoin: false) == .goOn(SourceID(1)))
    }

    @Test(arguments: [
        ([refused, gone], refused), ([gone, missing], missing), ([forbidden, gone], forbidden),
        ([gone, forbidden, missing, refused], refused),
    ])
    func theFailureWithMostHopeDecides(_ failures: [TransferFailure], _ best: TransferFailure) {
        var failover = Failover()
        for (index, failure) in failures.enumerated() { failover.note(failure, of: SourceID(index)) }

        #expect(failover.verdict == .failed(best))
    }

    @Test func oneThatWasNotAskedMayStillBringIt() {
        var failover = Failover()
        failover.note(Self.wait, of: SourceID(0))
        #expect(failover.verdict == .held(Self.wait))
        failover.note(Self.gone, of: SourceID(1))

        let expected = TransferFailure(Self.gone.error, failureClass: .transient(.untilGivenUp))
        #expect(failover.verdict == .failed(expected))
    }

    @Test func itEndsWhateverTheSourcesDo() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var failover = Failover()
            var turns = 0
            while let turn = turn(failover, hasBytes: .random(using: &random), mayJoin: .random(using: &random)) {
                turns += 1
                switch turn {
                case .goOn(let id) where Bool.random(using: &random): failover.noteDifference(of: id)
                case .goOn(let id), .beginAnew(let id): failover.note(Self.refused, of: id)
                }
                guard turns <= 6 else { break }
            }
            #expect(turns <= 6)
        }
    }
}
