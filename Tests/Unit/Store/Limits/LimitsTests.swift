import Core
import Store
import StoreSupport
import Testing

/// What clients say of the limits on the rate.
@Suite struct LimitsTests {
    private static let host = "a.example:443"
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static func schedule() throws -> RateSchedule {
        let (from, to) = (try #require(TimeOfDay("22:00")), try #require(TimeOfDay("24:00")))
        return RateSchedule(windows: [
            RateWindow(days: [.sunday], from: from, to: to, limit: .unlimited),
            RateWindow(days: Set(Weekday.allCases), from: to, to: from, limit: .bytesPerSecond(4096)),
            RateWindow(days: [.monday], from: from, to: to, limit: .paused),
        ])
    }

    private func change(
        _ patch: LimitsPatch,
        expecting revision: Int64? = nil,
        at seconds: Int64 = 0
    ) async throws -> StoredLimits {
        let change = try await fixture.store.changeLimits(
            .merge(patch),
            expectedRevision: revision,
            now: Fixture.at(seconds)
        )
        guard case .done(let limits) = change else { throw Unexpected(what: "not changed") }
        return limits
    }

    @Test func noLimitIsReplacedAtFirst() async throws {
        #expect(try await fixture.store.limits() == StoredLimits())
    }

    @Test func replacedLimitsAreMergedAndSurviveARestart() async throws {
        _ = try await change(.init(bytesPerSecond: .set(.bytesPerSecond(2048))))
        let schedule = try Self.schedule()
        let changed = try await change(.init(bytesPerSecondPerHost: .set(.unlimited), schedule: .set(schedule)), at: 5)
        let again = try await change(.init(bytesPerSecond: .set(.bytesPerSecond(2048))), at: 9)

        #expect(changed.replacements.bytesPerSecond == .bytesPerSecond(2048))
        #expect(changed.replacements.bytesPerSecondPerHost == .unlimited)
        #expect(changed.replacements.isPaused == nil)
        #expect(changed.replacements.schedule == (try Self.schedule()))
        #expect(changed.revision == 2 && changed.changedAt == Fixture.at(5))
        #expect(again == changed)
        fixture.store.close()
        #expect(try await Fixture.open(fixture.path).limits() == changed)
    }

    @Test func aPauseOutlivesTheProcess() async throws {
        _ = try await change(.init(isPaused: .set(true)))
        let changed = try await change(.init(bytesPerSecond: .set(.bytesPerSecond(2048))))

        #expect(changed.replacements.isPaused == true)
        fixture.store.close()
        #expect(try await Fixture.open(fixture.path).limits() == changed)
    }

    @Test func aClearedLimitIsTheSetting() async throws {
        _ = try await change(.init(bytesPerSecond: .set(.unlimited), schedule: .set(try Self.schedule())))
        let kept = try await change(.init(bytesPerSecond: .clear))
        let cleared = try await change(.init(schedule: .clear))

        #expect(kept.replacements == .init(schedule: try Self.schedule()))
        #expect(cleared.replacements == .init() && cleared.revision == 3)
        #expect(try await fixture.store.limits() == cleared)
    }

    @Test func aFullReplacementKeepsTheLimitsOfHosts() async throws {
        _ = try await change(.init(bytesPerSecond: .set(.bytesPerSecond(2048)), schedule: .set(try Self.schedule())))
        _ = try await fixture.store.setRate(ofHost: Self.host, to: 4096, now: Fixture.now)
        _ = try await fixture.store.changeLimits(
            .replace(.init(bytesPerSecondPerHost: .bytesPerSecond(1024))),
            now: Fixture.now
        )
        let limits = try await fixture.store.limits()

        #expect(limits.replacements == .init(bytesPerSecondPerHost: .bytesPerSecond(1024)))
        #expect(limits.hosts == [Self.host: 4096])
        #expect(limits.revision == 3)
    }

    @Test func limitsOfAnotherRevisionStay() async throws {
        let old = try await change(.init(bytesPerSecond: .set(.bytesPerSecond(2048))), expecting: 0)
        let refused = try await fixture.store.changeLimits(
            .merge(.init(bytesPerSecond: .clear)),
            expectedRevision: 0,
            now: Fixture.now
        )

        guard case .unexpected(let revision) = refused else { throw Unexpected(what: "changed") }
        #expect(revision == 1)
        #expect(try await fixture.store.limits() == old)
    }

    @Test func aHostHasALimitUntilItIsTakenAway() async throws {
        let given = try await fixture.store.setRate(ofHost: Self.host, to: 4096, now: Fixture.now)
        let again = try await fixture.store.setRate(ofHost: Self.host, to: 4096, now: Fixture.at(1))

        #expect(given.hosts == [Self.host: 4096] && given.revision == 1)
        #expect(again == given)
        // What is held back beside it ends, and the limit stays.
        try await fixture.store.deferClaims(Self.host, until: Fixture.at(1))
        _ = try await fixture.store.sweep(now: Fixture.at(2))
        #expect(try await fixture.store.hosts(now: Fixture.at(2)).map(\.bytesPerSecond) == [4096])

        let taken = try await fixture.store.setRate(ofHost: Self.host, to: nil, now: Fixture.at(3))
        #expect(taken.hosts.isEmpty && taken.revision == 2)
        #expect(try await fixture.store.hosts(now: Fixture.at(3)).isEmpty)
        #expect(try await fixture.store.setRate(ofHost: Self.host, to: nil, now: Fixture.at(4)) == taken)
    }
}
