import Core
import Curl
import Linux
import TestSupport
import Testing
import Transfer

@testable import Service

@Suite(.hangLimit)
struct RunningDownloadsTests {
    private let running = RunningDownloads()

    /// Enters a worker that ends when the signal is fired, and not before.
    private func enter(until signal: Signal) -> DownloadID {
        let id = DownloadID(at: ManualTime().now)
        let task = Task { [running] in
            await signal.wait()
            running.leave(id, epoch: 1)
        }
        running.enter(id, RunningDownloads.Entry(epoch: 1, meter: ProgressMeter(time: ManualTime().source), task: task))
        return id
    }

    @Test func aShutdownEndsWithTheLastWorker() async {
        let signals = (0..<3).map { _ in Signal() }
        for signal in signals { _ = enter(until: signal) }
        let shutdown = Task { [running] in await running.shutdown() }
        for signal in signals { signal.fire() }

        #expect(await shutdown.value == 0)
        #expect(running.isShuttingDown)
    }

    @Test func aShutdownThatIsCalledOffLeavesTheWorkersBehind() async {
        let signal = Signal()
        let id = enter(until: signal)
        let shutdown = Task { [running] in await running.shutdown() }
        shutdown.cancel()

        #expect(await shutdown.value == 1)
        #expect(running.worker(of: id)?.isCancelled == true)
        signal.fire()
    }

    @Test(arguments: [(1, true), (2, false)])
    func aClaimThatWasStoppedBeforeItsWorkerWasEnteredIsStoppedThen(_ epoch: Int64, _ isStopped: Bool) async {
        let signal = Signal()
        let id = DownloadID(at: ManualTime().now)
        running.beginClaim()
        #expect(running.stop(id, epoch: 1) == nil)

        let task = Task { await signal.wait() }
        running.enter(
            id,
            RunningDownloads.Entry(epoch: epoch, meter: ProgressMeter(time: ManualTime().source), task: task)
        )

        #expect(task.isCancelled == isStopped)
        signal.fire()
    }

    @Test func aRateThatWasChangedBeforeTheWorkerWasEnteredHoldsForIt() async throws {
        let time = ManualTime()
        let folder = TemporaryFolder()
        let directory = try Directory(path: folder.path)
        let engine = Engine(
            settings: EngineSettings(),
            folders: Folders(downloads: directory, parts: directory),
            pool: BlockingPool(threads: 1),
            time: time.source
        )
        let url = try GivenURL(parsing: "http://a.example/").url
        var request = DownloadRequest(url: url)
        request.rateBytesPerSecond = 1024
        let times = Download.Times(createdAt: time.now, deadlineAt: time.now)
        var download = Download(id: DownloadID(at: time.now), request: request, state: .running, times: times)
        let rate = engine.rate(of: download)
        download.revision += 1
        download.request.rateBytesPerSecond = 4096

        running.beginClaim()
        running.updateRate(of: download)
        let entry = RunningDownloads.Entry(
            epoch: 1,
            meter: ProgressMeter(time: ManualTime().source),
            rate: rate,
            task: Task {}
        )
        running.enter(download.id, entry)
        #expect(rate.bytesPerSecond == 4096)

        download.revision += 1
        download.request.rateBytesPerSecond = nil
        running.updateRate(of: download)
        #expect(rate.bytesPerSecond == nil)
        await engine.shutdown()
    }

    @Test(arguments: [[5], [1, 2, 3], [3, 1, 2], Array(1...2000), Array((1...2000).reversed())] as [[Int64]])
    func theEarliestDueInstantIsKeptHoweverManyFollow(_ seconds: [Int64]) async throws {
        let start = ManualTime().now
        for second in seconds { running.announceDue(start + .seconds(second)) }
        var changes = running.dueChanges.makeAsyncIterator()

        #expect(await changes.next() != nil)
        #expect(running.removeDue() == start + .seconds(try #require(seconds.min())))
        #expect(running.removeDue() == nil)
        running.announceDue(start + .seconds(9000))
        #expect(await changes.next() != nil)
        #expect(running.removeDue() == start + .seconds(9000))
    }

    @Test func anOlderClaimIsNoLongerStopped() async {
        let signal = Signal()
        let id = DownloadID(at: ManualTime().now)
        let task = Task { await signal.wait() }
        running.enter(id, RunningDownloads.Entry(epoch: 2, meter: ProgressMeter(time: ManualTime().source), task: task))

        #expect(running.stop(id, epoch: 1) == nil)
        #expect(!task.isCancelled)
        #expect(running.worker(of: id, upTo: 1) == nil)
        #expect(running.worker(of: id, upTo: 2) == task)
        signal.fire()
    }
}
