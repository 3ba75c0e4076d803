import Glibc
import TestSupport
import Testing

@testable import Linux

/// Lines for a reader that may stall.
@Suite(.hangLimit)
struct LineWriterTests {
    private static func line(_ number: Int) -> [UInt8] {
        Array("\(number) \(String(repeating: "x", count: 100))\n".utf8)
    }

    /// The calls block, and the threads of tasks are few.
    private let pool = BlockingPool(threads: 2, name: "pipe")

    private static func report(_ dropped: Int) -> [UInt8] { Array("dropped \(dropped)\n".utf8) }

    /// Reads all that comes until the other end is closed.
    private static func read(_ descriptor: CInt) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
        }
    }

    private static func pipe() throws -> (input: CInt, output: CInt) {
        var ends: [CInt] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        // A program that another test starts would keep the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    @Test func aStalledLogReaderBlocksNoWriterAndLearnsTheNumberOfLostLines() async throws {
        let (input, output) = try Self.pipe()
        let writer = LineWriter(output)
        let count = 40_000

        // Nobody reads yet: the pipe takes 64 KiB, the queue a mebibyte.
        for number in 0..<count { writer.write(Self.line(number), report: Self.report) }
        writer.flush(atMost: .milliseconds(1))
        async let text = pool.run { Self.read(input) }
        await pool.run { writer.flush(atMost: .seconds(60)) }
        close(output)

        let lines = await text.split(separator: "\n")
        let whole = lines.filter { !$0.hasPrefix("dropped") }
        let dropped = lines.compactMap { $0.hasPrefix("dropped ") ? Int($0.dropFirst(8)) : nil }
        #expect(dropped.reduce(0, +) == count - whole.count && !dropped.isEmpty)
        #expect(whole.enumerated().allSatisfy { $1 == String(decoding: Self.line($0).dropLast(), as: UTF8.self) })
        close(input)
    }

    @Test func linesComeInTheirOrderAndWhole() async throws {
        let (input, output) = try Self.pipe()
        let writer = LineWriter(output)
        async let text = pool.run { Self.read(input) }
        for number in 0..<1000 { writer.write(Self.line(number), report: Self.report) }
        await pool.run { writer.flush(atMost: .seconds(60)) }
        close(output)

        let expected = (0..<1000).flatMap(Self.line)
        #expect(await text == String(decoding: expected, as: UTF8.self))
        close(input)
    }
}
