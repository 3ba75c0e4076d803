import Foundation
import Glibc
import TestSupport
import Testing

/// What a sweep does at one call on files.
enum SweptFault: String, CaseIterable {
    /// The program is killed, and the call is not made.
    case killBefore
    /// The program is killed when the first half of the bytes is written. Only calls that write have a half.
    case killHalfway
    /// The program is killed when the call was made.
    case killAfter
    /// The call fails once with `EIO`. Calls that read count too.
    case inputOutputError
    /// The call fails once with `ENOSPC`.
    case diskFull

    /// All of them, or the one that `CORMORANT_TEST_FAULT` names.
    static let chosen: [SweptFault] = {
        let name = ProcessInfo.processInfo.environment["CORMORANT_TEST_FAULT"]
        return name.flatMap(SweptFault.init).map { [$0] } ?? allCases
    }()

    fileprivate var environment: [String: String] {
        switch self {
        case .killBefore: ["FAULT_KILL": "before"]
        case .killHalfway: ["FAULT_KILL": "halfway", "FAULT_KIND": CallFaults.Fault.pwrite.rawValue]
        case .killAfter: ["FAULT_KILL": "after"]
        case .inputOutputError: ["FAULT_CODE": "\(EIO)", "FAULT_READS": "1"]
        case .diskFull: ["FAULT_CODE": "\(ENOSPC)"]
        }
    }
}

extension CallFaults {
    /// One call on files of a program, counted from ``arm()`` to ``disarm()``.
    struct Call {
        /// From 1 on, among the calls that match.
        var number = 1
        /// Nil for calls of any kind, those that open a file to read it among them.
        var kind: Fault?
        /// A part of the file's path.
        var path: String
    }

    /// What a program is to find in its environment that has a fault at one call.
    func environment(_ fault: SweptFault, at call: Call) throws -> [String: String] {
        var environment = try environment.merging(fault.environment) { $1 }
        environment["FAULT_AT"] = "\(call.number)"
        environment["FAULT_PATH"] = call.path
        if let kind = call.kind { environment["FAULT_KIND"] = kind.rawValue }
        return environment
    }

    /// Begins to count the calls.
    func arm() { folder.write("", to: "armed") }

    /// Counts no further call.
    func disarm() { folder.remove("armed") }

    /// Whether the program came to the call.
    var hasMetCall: Bool { access(folder("at.hit"), F_OK) == 0 }
}
