import API
import Foundation
import ServiceSupport
import TestSupport

/// One ``Life`` with a fault at one call, as a patient client sees it: what has no answer is asked again, a service
/// that is gone is started again, and a download that waits or has failed is told to go on.
final class FaultedRun {
    /// What is wrong; none where all is right.
    var faults: [String] = []
    /// The downloads that were created, in order.
    var ids: [String] = []

    let folder = TemporaryFolder()
    let origin = Origin()
    let receiver = Origin(script: [.page(204)])
    private let life: Life
    private let fault: SweptFault
    private let number: Int
    private let sweptCall = CallFaults()
    private var service: ServiceProcess?
    private var starts = 0
    private var isArmed = false

    init(_ life: Life, _ fault: SweptFault, at number: Int) {
        (self.life, self.fault, self.number) = (life, fault, number)
        for (path, (content, script)) in life.origin { origin.serve(path, content, script: script) }
    }

    deinit {
        origin.stop()
        receiver.stop()
    }

    /// Whether the faulty program came to its call.
    var hasMetCall: Bool { sweptCall.hasMetCall }

    var data: String { folder("data") }

    /// The path of a finished file.
    func path(_ name: String) -> String { "\(data)/downloads/\(name)" }

    func run() async throws {
        try await life.prepare(self)
        sweptCall.arm()
        isArmed = true
        try await life.act(self)
        if let service {
            let code = try await service.terminate()
            // Where it is killed or fails while it stops, the next start finds what it left.
            if code != 0 && starts > 1 { faults.append("the service ended with \(code)") }
            forgetService()
        }
        // What the last one left lying is swept at a start.
        try await send("GET", "/readyz") { try $0.status == 200 && self.openRemovals() == 0 }
        if try await service?.terminate() != 0 { faults.append("the last service ended badly") }
        forgetService()
        try check(life.remains)
    }

    // MARK: - The service

    private func running() async throws -> ServiceProcess {
        if let service { return service }
        // Only the first one has the fault.
        let isFaulty = starts == 0
        let call = CallFaults.Call(number: number, path: folder.path)
        let environment = isFaulty ? try sweptCall.environment(fault, at: call) : [:]
        starts += 1
        do {
            let service = try await ServiceProcess(
                dataFolder: data,
                arguments: [
                    "--webhook-url", receiver.url("/hook"), "--webhook-retry-delays", "1s", "--min-free-bytes", "0",
                ],
                environment: environment
            )
            self.service = service
            return service
        } catch let error as ServiceDied {
            if !isFaulty { faults.append("no start: \(error.log)") }
            forgetService()
            throw HTTPClient.Failure(text: "it ended at its start")
        }
    }

    private func forgetService() {
        service = nil
        if isArmed, let fault = life.faultWhileDown(self) { faults.append(fault) }
    }

    // MARK: - The client

    /// Asks until the answer is good, of a service that is started again where it is gone.
    @discardableResult
    func send(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        _ fields: [(String, String)] = [],
        until isGood: (ReceivedResponse) async throws -> Bool
    ) async throws -> ReceivedResponse {
        let goal = "a good answer to \(method) \(target)"
        var last: ReceivedResponse?
        let answer = try await poll(goal, because: .otherProcess) { () -> ReceivedResponse? in
            do {
                let response = try await self.once(method, target, body, fields)
                last = response
                return try await isGood(response) ? response : nil
            } catch is HTTPClient.Failure {
                // It ends by itself, or is at its end already: nothing else leaves a request without an answer.
                if let service = self.service {
                    _ = try await service.end()
                    self.forgetService()
                }
                return nil
            }
        } is: {
            $0 != nil
        }
        guard let answer else { throw HTTPClient.Failure(text: "no good answer, but \(last?.text ?? "")") }
        return answer
    }

    func once(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        _ fields: [(String, String)] = []
    ) async throws -> ReceivedResponse {
        let service = try await running()
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        let response = try await HTTPClient(port: service.port)
            .send(method, target, fields: fields + type, body: body.map { Array($0.utf8) })
        // A service that is killed while it sends has not answered.
        guard response["content-length"].map({ Int($0) == response.body.count }) ?? true else {
            throw HTTPClient.Failure(text: "\(response.body.count) bytes of \(target)")
        }
        return response
    }
}
