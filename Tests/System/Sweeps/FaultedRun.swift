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
    private let hardPlace = CallFaults()
    private let clock = FastClock()
    private var service: ServiceProcess?
    private var starts = 0
    private var isArmed = false
    private var isUnderWay = false

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
        hardPlace.arm()
        (isArmed, isUnderWay) = (true, true)
        try await life.act(self)
        if !life.includesStop { endFault() }
        if let service {
            let code = try await service.terminate()
            // Where it is killed or fails while it stops, the next start finds what it left.
            if code != 0 && starts > faultyStarts { faults.append("the service ended with \(code)") }
            forgetService()
        }
        // What the last one left lying is swept at a start.
        try await send("GET", "/readyz") { try $0.status == 200 && self.openRemovals() == 0 }
        if try await service?.terminate() != 0 { faults.append("the last service ended badly") }
        forgetService()
        if case .recovery = life.program, !hardPlace.hasMetCall { faults.append("the first service was not killed") }
        try check(life.remains)
    }

    /// Counts no further call of this life.
    func endFault() {
        if isArmed { sweptCall.disarm() }
        isArmed = false
    }

    // MARK: - The service

    /// The environment of a command that has the fault.
    var faultyEnvironment: [String: String] {
        get throws { try sweptCall.environment(fault, at: CallFaults.Call(number: number, path: folder.path)) }
    }

    /// How many services have a fault, or are killed.
    private var faultyStarts: Int {
        switch life.program {
        case .service: 1
        case .recovery: 2
        case .command: 0
        }
    }

    private func environmentOfNextService() throws -> [String: String] {
        let fault = try faultOfNextService()
        guard life.isFast else { return fault }
        let libraries = [try clock.library, fault["LD_PRELOAD"]].compactMap(\.self).joined(separator: " ")
        return fault.merging(clock.environment) { $1 }.merging(["LD_PRELOAD": libraries]) { $1 }
    }

    private func faultOfNextService() throws -> [String: String] {
        switch (life.program, starts) {
        case (.service, 0), (.recovery, 1):
            return try faultyEnvironment
        case (.recovery(let place), 0):
            let call = CallFaults.Call(number: place.number, kind: place.kind, path: "\(data)/\(place.path)")
            return try hardPlace.environment(place.kill, at: call)
        default:
            return [:]
        }
    }

    private func running() async throws -> ServiceProcess {
        if let service { return service }
        let isFaulty = starts < faultyStarts
        let environment = try environmentOfNextService()
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
        if isUnderWay, let fault = life.faultWhileDown(self) { faults.append(fault) }
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
