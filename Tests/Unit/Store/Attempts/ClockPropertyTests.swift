import Core
import Foundation
import Store
import StoreSupport
import TestSupport
import Testing

/// Waits and purges under a wall clock that is set ahead and back again and again.
@Suite(.hangLimit)
struct ClockPropertyTests {
    private static let seeds: ClosedRange<UInt64> = {
        if let seed = ProcessInfo.processInfo.environment["CORMORANT_TEST_SEED"].flatMap(UInt64.init) {
            return seed...seed
        }
        return 1...8
    }()

    @Test(arguments: seeds)
    func noDownloadStallsRetriesEarlyOrIsPurgedEarlyWhateverTheClockDoes(_ seed: UInt64) async throws {
        var simulation = ClockSimulation(fixture: try Fixture(), seed: seed)
        for _ in 0..<120 { try await simulation.step() }

        #expect(simulation.retries > 0, "seed \(seed)")
    }
}

/// A store under a clock of its own, and what is known of its downloads by the time that has really passed.
private struct ClockSimulation {
    private struct Wait {
        let began: Duration
        let delay: Duration
    }

    let fixture: Fixture
    let time = ManualTime(now: Fixture.now)
    private var random: SplitMix64
    private var watch = ClockStepDetector()
    private var isSetBack = false
    private var retention: RetentionClock
    private var instant = Fixture.now
    private var waits: [DownloadID: Wait] = [:]
    private var ended: [DownloadID: Duration] = [:]
    private var lastSet = Duration.zero
    private var lastSetBack = Duration.zero
    private var lastPurge = Duration.zero
    private(set) var retries = 0

    /// How often the clock is looked at, and how long what has ended is kept.
    private static let interval = Duration.seconds(60)
    private static let minimumAge = Duration.seconds(6 * 3600)

    init(fixture: Fixture, seed: UInt64) {
        self.fixture = fixture
        random = SplitMix64(seed: seed)
        retention = RetentionClock(nil, now: Fixture.now, elapsed: .zero)
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: try await begin()
        case 2: try await end()
        case 3: set(by: .seconds(3600 * Int64.random(in: -1000...1000, using: &random)))
        case 4: set(by: .seconds(3600 * Int64.random(in: -3...3, using: &random)))
        case 5: try await edit()
        case 6: for _ in 0..<120 { try await advance() }
        default: for _ in 0..<Int.random(in: 1...30, using: &random) { try await advance() }
        }
    }

    private mutating func set(by step: Duration) {
        time.setWall(by: step)
        lastSet = time.elapsed
        if step < .zero { lastSetBack = time.elapsed }
    }

    /// Whatever the clock says, no deadline comes.
    private func make(starts: Bool = true) async throws -> DownloadID {
        let id = DownloadID(at: time.now)
        let deadline = time.now + .seconds(100 * 366 * 86_400)
        let request = DownloadRequest(url: Fixture.url())
        let new = NewDownload(id: id, request: request, starts: starts, deadlineAt: deadline)
        _ = try await fixture.store.create(new, now: time.now)
        return id
    }

    /// A download that waits, for up to an hour and a half.
    private mutating func begin() async throws {
        _ = try await make()
        try await claimAll()
    }

    private mutating func end() async throws {
        checkClock()
        let id = try await make(starts: false)
        try await fixture.done(id, .cancel, at: time.now)
        ended[id] = time.elapsed
    }

    private mutating func edit() async throws {
        guard let id = waits.keys.sorted(by: { $0.text < $1.text }).randomElement(using: &random) else { return }
        var edit = DownloadEdit()
        edit.labels = .set(JSONText(canonical: #"{"n":"\(random.next())"}"#))
        try await fixture.done(id, nil, edit, at: time.now)
    }

    /// A minute goes by, and the clock is looked at.
    private mutating func advance() async throws {
        time.advance(by: Self.interval)
        checkClock()
        while try await !fixture.store.sweep(isSetBack: isSetBack, now: time.now).isComplete {}
        isSetBack = false
        try await claimAll()
        for (id, wait) in waits {
            let waited = time.elapsed - max(wait.began, lastSetBack)
            #expect(waited <= wait.delay + Self.interval + .seconds(1), "\(id)")
        }
        if time.elapsed - lastPurge >= .seconds(600) { try await purge() }
    }

    private mutating func checkClock() {
        if watch.wasSetBack(now: time.now, elapsed: time.elapsed) { isSetBack = true }
        instant = retention.instant(now: time.now, elapsed: time.elapsed)
    }

    private mutating func claimAll() async throws {
        checkClock()
        for claimed in try await fixture.claim(free: 100, at: time.now) {
            let id = claimed.claim.id
            if let wait = waits[id] {
                // What is tried was waited for, unless the clock was set meanwhile: once for each time.
                #expect(time.elapsed - wait.began >= wait.delay || lastSet >= wait.began, "\(id)")
                retries += 1
            }
            let delay = Duration.seconds(Int64.random(in: 1...5400, using: &random))
            let reason: WaitingFor = Bool.random(using: &random) ? .retry : .host
            let deferral = Fixture.deferred(reason, until: time.now + delay)
            _ = try await fixture.store.recordOutcome(claimed.claim, deferral, madeProgress: false, now: time.now)
            waits[id] = Wait(began: time.elapsed, delay: delay)
        }
    }

    private mutating func purge() async throws {
        lastPurge = time.elapsed
        _ = try await fixture.store.purge(PurgeAges(finishedDownloads: Self.minimumAge), at: instant, now: time.now)
        for (id, end) in ended {
            guard try await fixture.store.download(id) == nil else { continue }
            #expect(time.elapsed - end >= Self.minimumAge, "\(id)")
            ended[id] = nil
        }
    }
}
