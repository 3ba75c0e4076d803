import CWorld
import Core

/// One thread on which everything runs, step by step: the jobs of tasks, the blocks of queues and what is due by the
/// clock. Which of those that are ready is next, chance decides (``Choices``), so that a life can be repeated.
///
/// Time is virtual. It passes when nothing is ready, and now and then while something is: a busy machine is late.
final class World {
    /// What is to be run.
    enum Step {
        case job(UnownedJob)
        case mainJob(UnownedJob)
        case call(() -> Void)
    }

    private struct Timer {
        let due: UInt64
        let step: Step
        /// Whether it is not one of the process's.
        var outlasts = false
    }

    /// The world that this process simulates. One thread uses it.
    nonisolated(unsafe) static var current = World(Choices(seed: 0))

    var choices: Choices
    /// The time since the world began, in nanoseconds.
    private(set) var now: UInt64 = 0
    /// By how much the wall clock is ahead of ``now``, in nanoseconds.
    private(set) var wallOffset: Int64 = 0
    private(set) var stepCount = 0
    private var ready: [Step] = []
    /// In the order of their time, and of their arrival.
    private var timers: [Timer] = []
    /// The steps of processes that were killed. They are kept: a task that is released would be reported as leaked.
    private var buried: [Step] = []
    private var queues: [UnsafeMutableRawPointer: [UnsafeMutableRawPointer]] = [:]
    /// The number of kills so far.
    private(set) var killCount = 0
    private(set) var trace = Trace()
    /// How often each state was reached.
    private(set) var tally: [String: Int] = [:]

    /// The instant at which worlds begin.
    static let begin = Timestamp(milliseconds: 1_800_000_000_000)
    /// How far ahead a timer may be to come before work that is ready.
    private static let haste: UInt64 = 100_000_000
    private static let mostSteps = 2_000_000

    init(_ choices: Choices, keepsTrace: Bool = false) {
        self.choices = choices
        trace.isKept = keepsTrace
    }

    /// Makes it the world of this process.
    func enter() {
        Self.current = self
        setClocks()
        world_take_blocks { queue, block in World.current.add(block, to: queue) }
    }

    var wall: Timestamp { Self.begin + .nanoseconds(Int64(now) + wallOffset) }

    /// Sets the wall clock, ahead or back.
    func setWall(by duration: Duration) {
        wallOffset += Int64(duration.inSeconds * 1e9)
        setClocks()
        note("the clock is set by \(duration.inSeconds) s")
    }

    func note(_ text: @autoclosure () -> String) { trace.add(text(), at: now) }

    /// Counts that a state was reached, for those who want to know what lives have seen.
    func count(_ state: String, _ count: Int = 1) { tally[state, default: 0] += count }

    // MARK: - What is to be run

    func add(_ step: Step) { ready.append(step) }

    /// - Parameter delay: In nanoseconds.
    func add(_ step: Step, after delay: UInt64) {
        insert(Timer(due: now + delay, step: step))
    }

    /// Runs something later that does not end with the process.
    func outlast(after delay: UInt64, _ body: @escaping () -> Void) {
        insert(Timer(due: now + delay, step: .call(body), outlasts: true))
    }

    private func insert(_ timer: Timer) {
        timers.insert(timer, at: timers.partitioningIndex { $0.due > timer.due })
    }

    /// Whether nothing is ready.
    var isIdle: Bool { ready.isEmpty }

    /// Waits on the virtual clock.
    func sleep(milliseconds: Int) async {
        await withUnsafeContinuation { continuation in
            add(.call { continuation.resume() }, after: UInt64(milliseconds) * 1_000_000)
        }
    }

    /// Blocks of one queue run in their order, those of two in any.
    private func add(_ block: UnsafeMutableRawPointer, to queue: UnsafeMutableRawPointer) {
        queues[queue, default: []].append(block)
        if queues[queue]?.count == 1 { add(.call { self.runBlock(of: queue) }) }
    }

    private func runBlock(of queue: UnsafeMutableRawPointer) {
        guard let block = queues[queue]?.first else { return }
        world_run_block(block)
        queues[queue]?.removeFirst()
        if queues[queue]?.isEmpty == true {
            queues[queue] = nil
        } else {
            add(.call { self.runBlock(of: queue) })
        }
    }

    // MARK: - Running

    /// Whether it has taken more steps than any life takes: some go round in a circle.
    var isEndless: Bool { stepCount >= Self.mostSteps }

    /// Runs steps until `isDone`, which is asked before each of them.
    ///
    /// - Returns: False if all wait and nothing is due, because somebody was not woken; or if it is endless.
    func run(until isDone: () -> Bool) -> Bool {
        while !isDone() {
            guard !isEndless, !ready.isEmpty || passTime() else { return false }
            if let due = timers.first?.due, due <= now + Self.haste, choices.chance(oneIn: 8, .order) { _ = passTime() }
            runStep()
        }
        return true
    }

    /// Runs steps until a call has been answered.
    ///
    /// - Throws: The call's error; ``Standstill`` if nobody answers it.
    func complete<Value>(_ what: String, _ body: @escaping () async throws -> Value) throws -> Value {
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var result: Result<Value, any Error>?
        Task.detached {
            do { result = .success(try await body()) } catch { result = .failure(error) }
        }
        guard run(until: { result != nil }), let result else { throw Standstill(what: what) }
        return try result.get()
    }

    /// - Returns: False if nothing is due.
    private func passTime() -> Bool {
        guard let next = timers.first else { return false }
        now = max(now, next.due)
        setClocks()
        let count = timers.partitioningIndex { $0.due > now }
        ready += timers[..<count].map(\.step)
        timers.removeFirst(count)
        return true
    }

    private func runStep() {
        let step = ready.remove(at: choices.number(below: ready.count, .order))
        stepCount += 1
        world_step_begins(UInt64(stepCount))
        switch step {
        case .job(let job): job.runSynchronously(on: .generic)
        case .mainJob(let job): job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        case .call(let body): body()
        }
    }

    private func setClocks() {
        world_set_clocks(
            Self.begin.milliseconds * 1_000_000 + Int64(now) + wallOffset,
            // Not 0: who subtracts a time from it would be before the beginning.
            1_000_000_000_000 + Int64(now)
        )
    }

    /// Ends the process that runs: none of its steps follows.
    func kill() {
        buried += ready + timers.map(\.step)
        (ready, queues) = ([], [:])
        timers.removeAll { !$0.outlasts }
        killCount += 1
    }
}

/// Everybody waits, and nothing is due: somebody was not woken. Or steps go round in a circle.
struct Standstill: Error, CustomStringConvertible {
    let what: String
    private let isEndless = World.current.isEndless

    var description: String {
        let reason = isEndless ? "it has taken \(World.current.stepCount) steps" : "all wait, and nothing is due"
        return "\(what): \(reason)"
    }
}

/// What has happened in a world, and a number that follows from it.
struct Trace {
    var isKept = false
    private(set) var lines: [String] = []
    private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// - Parameter now: In nanoseconds.
    mutating func add(_ text: String, at now: UInt64) {
        if isKept { lines.append("\(now / 1_000_000) ms  \(text)") }
        // FNV-1a.
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash = (hash ^ now) &* 0x100_0000_01b3
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element, and all after it, satisfy a condition.
    func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
