import Foundation
import Synchronization
import TestSupport

/// The built program, serving on a free port: started, killed and started again on the same data folder.
final class ServiceProcess: Sendable {
    let port: UInt16
    private let process: Mutex<Process>

    /// Returns once the program says that it listens.
    init(dataFolder: String, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.programPath)
        process.arguments =
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", dataFolder, "--log-format", "json"] + arguments
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        port = try await Self.listeningPort(output.fileHandleForReading)
        self.process = Mutex(process)
    }

    deinit {
        kill(SIGKILL)
    }

    /// Ends the program without a warning, and returns once it is gone.
    func kill() {
        kill(SIGKILL)
    }

    /// Asks the program to stop.
    ///
    /// - Returns: Its exit status.
    func terminate() -> Int32 {
        kill(SIGTERM)
    }

    @discardableResult
    private func kill(_ signal: Int32) -> Int32 {
        process.withLock { process in
            Foundation.kill(process.processIdentifier, signal)
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// The program is built into the folder of the tests' own.
    private static var programPath: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("cormorant").path
    }

    /// Reads the log up to the line that names the port, and lets the rest run by.
    private static func listeningPort(_ log: FileHandle) async throws -> UInt16 {
        let (ports, port) = AsyncStream.makeStream(of: UInt16.self)
        let text = Mutex("")
        log.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                return port.finish()
            }
            let found = text.withLock { text in
                text += String(decoding: data, as: UTF8.self)
                return Self.port(in: text)
            }
            if let found {
                port.yield(found)
                port.finish()
            }
        }
        for await port in ports { return port }
        throw ServiceDied(log: text.withLock { $0 })
    }

    private static func port(in log: String) -> UInt16? {
        guard let range = log.range(of: "\"server.port\":\"") else { return nil }
        let digits = log[range.upperBound...].prefix { $0.isNumber }
        // The number may still be coming: it ends with a quotation mark.
        guard log[range.upperBound...].dropFirst(digits.count).first == "\"" else { return nil }
        return UInt16(digits)
    }
}

/// The program ended before it listened.
struct ServiceDied: Error {
    let log: String
}
