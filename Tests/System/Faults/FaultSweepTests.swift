import API
import Glibc
import ServiceSupport
import TestSupport
import Testing

/// Each call on files that a download of several segments makes fails once, one after the other.
@Suite(.hangLimit, .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason)))
struct FaultSweepTests {
    /// One call of one kind that fails.
    struct Point: CustomStringConvertible, Sendable {
        let fault: CallFaults.Fault
        let number: Int
        let code: Int32
        var text = "/parts|/downloads"

        var kind: String { (text.hasPrefix("/") ? "" : "database ") + fault.rawValue }
        var description: String { "\(fault) \(number) of \(text) with \(code)" }
    }

    private enum End: Sendable {
        /// No such call was made.
        case notMet
        case whole
        case failed(String)
        case wrong(String)
    }

    private static let content = Content(seed: 11, size: 10 << 20)
    /// Slow enough that a second connection is opened.
    private static let pace = Behaviour.pace(.drip(byteCount: 64 << 10, every: .milliseconds(12)))
    /// The calls of a kind that are tried, as far as there are so many. Of the writes, which are all alike, some.
    private static let numbers: [(CallFaults.Fault, [Int])] = [
        (.create, [1, 2]), (.allocate, [1, 2]), (.truncate, [1, 2]), (.mkdir, [1, 2, 3]), (.sync, [1, 2, 3, 4, 5, 6]),
        (.rename, [1]), (.link, [1]), (.unlink, [1]), (.pwrite, [1, 2, 7, 19]), (.pread, [1, 2]),
    ]

    private static var points: [Point] {
        let files = [EIO, ENOSPC].flatMap { code in
            numbers.flatMap { fault, numbers in numbers.map { Point(fault: fault, number: $0, code: code) } }
        }
        let database = [(CallFaults.Fault.pwrite, 2), (.pwrite, 25), (.pwrite, 50), (.sync, 1), (.sync, 3)].map {
            fault,
            number in
            Point(fault: fault, number: number, code: EIO, text: "cormorant.db")
        }
        return files + database
    }

    @Test func noCallThatFailsMakesAWrongFileOrLosesADownload() async throws {
        let workers = 6
        let ends = try await withThrowingTaskGroup(of: [(Point, End)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var ends: [(Point, End)] = []
                    for (index, point) in Self.points.enumerated() where index % workers == worker {
                        ends.append((point, try await Self.end(of: point)))
                    }
                    return ends
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        var counts: [String: Int] = [:]
        for (point, end) in ends {
            switch end {
            case .notMet: continue
            case .whole: break
            case .failed(let code): #expect(!code.isEmpty, "\(point) has no reason")
            case .wrong(let what): Issue.record("\(point): \(what)")
            }
            counts[point.kind, default: 0] += 1
        }
        print("fault sweep: \(counts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
        let kinds = [
            "create", "allocate", "truncate", "mkdir", "sync", "pwrite", "pread", "rename", "link", "unlink",
            "database pwrite", "database sync",
        ]
        for kind in kinds { #expect(counts[kind] != nil, "no \(kind) was met") }
    }

    private static func end(of point: Point) async throws -> End {
        let origin = Origin(content, script: [pace])
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let faults = CallFaults()
        let data = folder.makeFolder("data")
        let arguments = ["--min-free-bytes", "0", "--connections-per-download", "4"]
        let faulty = try await ServiceProcess(dataFolder: data, arguments: arguments, environment: faults.environment)
        switch point.fault {
        // Where names cannot be moved without replacing, they are linked, and the old one is removed.
        case .link, .unlink: faults.fail(.rename, EINVAL, once: false, on: "/downloads")
        // A part of which a flush failed is emptied before it is used again.
        case .truncate: faults.fail(.sync, EIO, once: true, on: ".part")
        default: break
        }
        faults.fail(point.fault, point.code, at: point.number, on: point.text)
        let body = #"{"url":"\#(origin.url("/a"))","directory":"b/c"}"#
        let response = try? await ServiceClient(port: faulty.port).post("/downloads", body)
        guard response?.status == 201, let id = response?.json["id"]?.text else {
            _ = try await faulty.terminate()
            // Nothing was promised.
            return faults.hasFailed(point.fault) ? .failed("refused") : .wrong("no answer without a fault")
        }

        var end = try? await Self.end(of: id, ServiceClient(port: faulty.port))
        let exitCode = try await faulty.terminate()
        let wasMet = faults.hasFailed(point.fault)
        if end == nil {
            // A service that cannot rely on its database ends, and the next one goes on.
            guard exitCode != 0 else { return .wrong("the service ended well, and did not answer") }
            let service = try await ServiceProcess(dataFolder: data, arguments: arguments)
            end = try await Self.end(of: id, ServiceClient(port: service.port))
            #expect(try await service.terminate() == 0)
        }
        let path = "\(data)/downloads/b/c/a"
        let isThere = access(path, F_OK) == 0
        switch end {
        case ("completed", _)?:
            guard content.matches(fileAt: path) else { return .wrong("a wrong file") }
            // An origin that was asked once had no second segment.
            guard origin.requests.count > 1 else { return .wrong("one connection") }
            return wasMet ? .whole : .notMet
        case (_, let code)?: return isThere ? .wrong("a file of a download that failed") : .failed(code)
        case nil: return .wrong("no end")
        }
    }

    /// Waits until a download has ended, and has it try again at once wherever it waits.
    ///
    /// - Returns: Its state, and the code of its error.
    private static func end(of id: String, _ client: ServiceClient) async throws -> (state: String, code: String) {
        let http = HTTPClient(port: client.port)
        let download = try await client.wait(for: "an end", of: id) { download in
            let state = download["state"]?.text ?? ""
            if state == "waiting" {
                let type = ("Content-Type", "application/json")
                let body = Array(#"{"action":"resume"}"#.utf8)
                _ = try await http.send("PATCH", "/downloads/\(id)", fields: [type], body: body)
            }
            return state == "completed" || state == "failed"
        }
        return (download["state"]?.text ?? "", download["error"]?["code"]?.text ?? "")
    }
}
