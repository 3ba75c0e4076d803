import Foundation

/// Programs of the machine that some tests need.
public enum InstalledProgram {
    /// The path of a program in `PATH` or in the folder of system services; nil if it is not installed.
    public static func path(_ name: String) -> String? {
        let folders = "\(ProcessInfo.processInfo.environment["PATH"] ?? ""):/usr/sbin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
