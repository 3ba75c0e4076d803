import Glibc
import Testing
import TestSupport

/// The program on a machine that lets it make no connection.
@Suite(.timeLimit(.minutes(5)), .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason)))
struct FaultySocketTests {
    @Test(arguments: [
        (CallFaults.Fault.socket, EMFILE), (.socket, ENFILE), (.connect, EADDRNOTAVAIL), (.connect, ENETUNREACH),
        (.connect, EHOSTUNREACH),
    ])
    func whatKeepsAConnectionFromBeingMadeIsWaitedFor(call: CallFaults.Fault, code: Int32) async throws {
        let content = Content(size: 300_000)
        let scene = try await FaultScene(content) { $0.fail(call, code, once: false, on: "socket:") }
        try await eventually { try await scene.value("waiting_for") == "retry" }

        #expect(try await scene.errorCode == "connect_failed")
        scene.faults.mend(call)
        try await scene.resume()
        #expect(scene.holds(content))
        #expect(scene.origin.requests.count == 1)
        try await scene.end()
    }
}
