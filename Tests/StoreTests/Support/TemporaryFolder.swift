import Foundation

/// A folder of one test's own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "store-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        // What cannot be removed stays; no claim of a test depends on it.
        try? FileManager.default.removeItem(atPath: path)
    }
}
