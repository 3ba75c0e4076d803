import Glibc
import SystemPackage

/// Reads each kept input of a target once.
struct Replay {
    private(set) var count = 0
    private(set) var faults = 0

    private static let folder = "Tests/Fuzz/Corpus"

    /// - Parameter files: The inputs; if empty, all that are kept.
    init(_ target: FuzzTarget, files: [String]) {
        for path in files.isEmpty ? Self.inputs("\(Self.folder)/\(target.name)") : files {
            guard let bytes = Self.read(path) else {
                print("\(path): cannot be read")
                faults += 1
                continue
            }
            count += 1
            do {
                try target.run(bytes)
            } catch {
                print("\(path): \(error)")
                faults += 1
            }
        }
    }

    private static func inputs(_ folder: String) -> [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        var paths: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { paths.append("\(folder)/\(name)") }
        }
        return paths.sorted()
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while let count = try? buffer.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}
