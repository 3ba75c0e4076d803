import TestSupport
import Testing

/// A short life of the service with one client. A sweep repeats it with a fault at each of its calls on files.
struct Life: Sendable {
    typealias Step = @Sendable (FaultedRun) async throws -> Void

    /// Whose calls on files are counted.
    enum FaultyProgram: Sendable {
        case service
        /// The service that is started after a kill at a fixed place: the sweep is over its recovery.
        case recovery(after: HardPlace)
        /// A command beside a sound service.
        case command
    }

    /// Some calls: each so many, as far as the calls surely go.
    struct Sample: Sendable {
        let stride: Int
        let end: Int
    }

    /// A call at which the first service is killed.
    struct HardPlace: Sendable {
        let kill: SweptFault
        let kind: CallFaults.Fault
        /// The call's number among those of its kind, from 1 on.
        var number = 1
        /// A part of the file's path below the data folder.
        let path: String
    }

    /// What is left at the end, besides what holds for each life.
    struct Remains: Sendable {
        var records = 1
        /// The finished files by their paths below the downloads folder; nil for one of other bytes.
        var files: [String: Content?] = [:]
        /// How often each of these events is recorded.
        var events: [String: Int] = [:]
    }

    let name: String
    /// The calls of an ordinary test run.
    let sample: Sample
    var program = FaultyProgram.service
    /// Whether the clocks of the services run fast, for a life that waits for a round of each minute.
    var isFast = false
    /// The contents and the scripts of the origin by path.
    var origin: [String: (Content, [Behaviour])] = [:]
    /// Whether the calls of the service's stop are counted too.
    var includesStop = false
    /// Before the calls are counted.
    var prepare: Step = { _ in }
    /// The client's requests while a call fails.
    let act: Step
    /// What is wrong with the files while no service runs; nil if nothing is.
    var faultWhileDown: @Sendable (FaultedRun) -> String? = { _ in nil }
    let remains: Remains

    /// The same life, whose faulty program is the one that recovers from a kill.
    func recovering(after place: HardPlace) -> Life {
        Life(
            name: "recovery of \(name)",
            sample: Sample(stride: 100, end: 100),
            program: .recovery(after: place),
            isFast: isFast,
            origin: origin,
            prepare: prepare,
            act: act,
            faultWhileDown: faultWhileDown,
            remains: remains
        )
    }
}
