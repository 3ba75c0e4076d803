import TestSupport
import Testing

/// A short life of the service with one client. A sweep repeats it with a fault at each of its calls on files.
struct Life: CustomTestStringConvertible, Sendable {
    typealias Step = @Sendable (FaultedRun) async throws -> Void

    /// What is left at the end, besides what holds for each life.
    struct Remains: Sendable {
        var records = 1
        /// The finished files by their paths below the downloads folder; nil for one of other bytes.
        var files: [String: Content?] = [:]
        /// How often each of these events is recorded.
        var events: [String: Int] = [:]
    }

    let name: String
    /// The distance between the calls of an ordinary test run.
    let stride: Int
    /// The contents and the scripts of the origin by path.
    var origin: [String: (Content, [Behaviour])] = [:]
    /// Before the calls are counted.
    var prepare: Step = { _ in }
    /// The client's requests while a call fails.
    let act: Step
    /// What is wrong with the files while no service runs; nil if nothing is.
    var faultWhileDown: @Sendable (FaultedRun) -> String? = { _ in nil }
    let remains: Remains

    var testDescription: String { name }
}
