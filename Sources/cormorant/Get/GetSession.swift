import Application
import ArgumentParser
import Core
import FoundationEssentials
import Linux
import Transfer

/// One run of `get`: its downloads, several at once, and its output.
struct GetSession: Sendable {
    let plan: GetPlan
    let directory: Directory
    let engine: Engine
    let pool: BlockingPool
    let board: ProgressBoard
    let time: TimeSource

    /// - Throws: `ExitCode` of the first failure, or of the signal.
    static func run(_ plan: GetPlan) async throws {
        do {
            try ProcessHardening.apply()
        } catch {
            throw CommandFailure(hardening: error)
        }
        let session = try GetSession(plan)
        let (failure, signal) = await Interruption.guarding { await session.run() }
        if let signal { throw ExitCode(signal) }
        if let failure { throw failure.code }
    }

    private init(_ plan: GetPlan) throws(CommandFailure) {
        try Self.checkCertificates(plan)
        self.plan = plan
        directory = try Self.openDirectory(plan.directory)
        pool = BlockingPool(threads: 4, name: "disk")
        time = .system
        engine = Engine(
            settings: EngineSettings(
                userAgent: VersionText.userAgent,
                minFreeBytes: 0,
                // The user's umask applies, as in other programs that a person runs.
                fileMode: Umask.fileMode,
                directoryMode: 0o777 & ~Umask.bits,
                certificateAuthorityFile: plan.certificateAuthorityFile,
                clientCertificates: plan.clientCertificates,
                knownHostsFile: plan.knownHostsFile
            ),
            folders: Folders(downloads: directory, parts: directory),
            pool: pool,
            time: time
        )
        let style: ProgressBoard.Style =
            plan.isQuiet ? .quiet : StandardStream.error.isTerminal ? .terminal : .lines
        // A separate thread, so that a blocked terminal delays no download.
        board = ProgressBoard(style: style, pool: BlockingPool(threads: 1, name: "display"))
    }

    private static func checkCertificates(_ plan: GetPlan) throws(CommandFailure) {
        var files = plan.clientCertificates.flatMap(CertificateFile.files)
        if let path = plan.certificateAuthorityFile { files.append(CertificateFile(kind: .authorities, path: path)) }
        if let path = plan.knownHostsFile { files.append(CertificateFile(kind: .knownHosts, path: path)) }
        do {
            for file in files { _ = try file.check() }
        } catch {
            throw CommandFailure(.usage, error.detail)
        }
    }

    private static func openDirectory(_ path: String) throws(CommandFailure) -> Directory {
        // If the folder cannot be created, opening it reports the reason.
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            return try Directory(path: path)
        } catch {
            throw CommandFailure(ExitStatus(opening: error), "\(path): \(error.message)")
        }
    }

    /// - Returns: The exit status of the first failed download; nil if none failed.
    private func run() async -> ExitStatus? {
        let display = Task { await board.run() }
        let failure = await downloads()
        await engine.shutdown()
        display.cancel()
        await display.value
        // A list of digests that was not completely written must not look complete.
        return failure ?? (board.isLost ? .inputOutput : nil)
    }

    private func downloads() async -> ExitStatus? {
        await withTaskGroup(of: ExitStatus?.self) { group in
            var failure: ExitStatus?
            var running = 0
            for item in plan.items {
                if running == plan.jobs, let status = await group.next() {
                    failure = failure ?? status
                    running -= 1
                }
                if Task.isCancelled { break }
                group.addTask { await GetJob(session: self, item: item).run() }
                running += 1
            }
            for await status in group { failure = failure ?? status }
            return failure
        }
    }
}
