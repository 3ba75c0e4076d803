import Application
import ArgumentParser
import Client
import Core
import Linux
import Synchronization

/// Shows downloads until they end: the display of `watch`, `wait` and `add --wait`.
struct FollowSession: Sendable {
    let client: CormorantClient
    let scope: DownloadFollower.Scope
    var isQuiet = false
    /// After this time it ends with 75; nil for no limit.
    var timeout: Duration?

    /// How long look-ups before and after the event stream are repeated while a gateway has no service, as the stream
    /// itself is.
    static let gatewayPatience = Duration.seconds(60)

    private enum Outcome: Sendable {
        case ended([Client.Download])
        case failed(ClientError)
        case timedOut
    }

    /// - Returns: The downloads as they ended.
    /// - Throws: `ExitCode` of a signal; ``CommandFailure``.
    func run() async throws -> [Client.Download] {
        let (outcome, signal) = await Interruption.guarding { await self.outcome() }
        if let signal { throw ExitCode(signal) }
        switch outcome {
        case .ended(let downloads): return downloads
        case .failed(let error): throw error
        case .timedOut:
            throw CommandFailure(.temporary, "the time limit is over; downloads that have not ended continue")
        }
    }

    private func outcome() async -> Outcome {
        let style: ProgressBoard.Style =
            isQuiet ? .quiet : StandardStream.error.isTerminal ? .terminal : .lines
        let board = ProgressBoard(style: style, pool: BlockingPool(threads: 1, name: "display"))
        let display = Task { await board.run() }
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await follow(board) }
            if let timeout {
                group.addTask {
                    // The timeout of the user is real time.
                    try? await Task.sleep(for: timeout)
                    return .timedOut
                }
            }
            let first = await group.next() ?? .timedOut
            group.cancelAll()
            return first
        }
        display.cancel()
        await display.value
        return outcome
    }

    private func follow(_ board: ProgressBoard) async -> Outcome {
        let display = FollowDisplay(board: board)
        board.setFooter { display.footer }
        var follower = DownloadFollower(client: client, scope: scope)
        do {
            return .ended(try await follower.run(display.show))
        } catch {
            return .failed(error)
        }
    }
}

/// Passes changes on to the display.
private final class FollowDisplay: Sendable {
    private struct State {
        var items: [String: WatchedItem] = [:]
        var counts: [String: Int] = [:]
    }

    let board: ProgressBoard
    private let state = Mutex(State())

    init(board: ProgressBoard) { self.board = board }

    /// `2 running, 3 queued  12.3 MiB/s`
    var footer: String {
        state.withLock { state in
            let order = ["running", "waiting", "queued", "paused", "completed", "failed", "cancelled"]
            let counts = order.compactMap { word in
                state.counts[word].flatMap { $0 > 0 ? "\($0) \(word)" : nil }
            }
            let speed = state.items.values.reduce(Int64(0)) { $0 + ($1.download.progress?.bytesPerSecond ?? 0) }
            return counts.joined(separator: ", ") + (speed > 0 ? "  \(ByteSize.rounded(speed))/s" : "")
        }
    }

    @Sendable func show(_ change: DownloadFollower.Change) {
        switch change {
        case .found(let download):
            count(download.state, 1)
            if DownloadFollower.hasEnded(download) { tell(download) } else { add(download) }
        case .progressed(let download): state.withLock { $0.items[download.id]?.download = download }
        case .changed(let download, let previous):
            count(previous, -1)
            count(download.state, 1)
            if DownloadFollower.hasEnded(download) {
                if let item = state.withLock({ $0.items.removeValue(forKey: download.id) }) { board.remove(item) }
                tell(download)
            } else if let item = state.withLock({ $0.items[download.id] }) {
                item.download = download
            } else {
                add(download)
            }
        }
    }

    private func count(_ word: String, _ difference: Int) {
        state.withLock { $0.counts[word, default: 0] += difference }
    }

    private func add(_ download: Client.Download) {
        let item = WatchedItem(download)
        state.withLock { $0.items[download.id] = item }
        board.add(item)
    }

    private func tell(_ download: Client.Download) {
        let text = EndText.line(download)
        if download.state == "completed" { board.inform(text) } else { board.report(text) }
    }
}

/// How a download ended.
enum EndText {
    /// `a.iso: completed, 12.3 MiB`, or `a.iso: failed: The origin answered with status 404.`
    static func line(_ download: Client.Download) -> String {
        let name = (download.name ?? download.id).printable
        switch download.state {
        case "completed":
            let size = download.file?.sizeBytes ?? download.progress?.receivedBytes
            return "\(name): completed" + (Shown.size(size).map { ", \($0)" } ?? "")
        case "failed":
            let reason = download.error.map { $0.message ?? $0.code } ?? "unknown reason"
            return "\(name): failed: \(reason.printable) 'cormorant why \(download.id)' says more."
        default: return "\(name): \(download.state)"
        }
    }
}

extension ExitStatus {
    /// The exit code for the end of a download; nil if it is completed.
    init?(ending download: Client.Download) {
        switch download.state {
        case "completed": return nil
        case "failed":
            let code = download.error.flatMap { DownloadError.Code(rawValue: $0.code) }
            self = code.map { ExitStatus(DownloadError($0, message: "")) } ?? .protocol
        default: self = .unavailable
        }
    }
}
