import Application
import Linux

/// Text that the user gives in a file or on standard input.
enum InputText {
    /// A list of a million URLs.
    private static let mostBytes = 256 << 20

    /// - Parameter path: `-` for standard input.
    static func read(_ path: String) throws(CommandFailure) -> String {
        do throws(SystemError) {
            let file = try File(path: path == "-" ? "/dev/stdin" : path, access: .read)
            return String(decoding: try file.readToEnd(limit: mostBytes), as: UTF8.self)
        } catch {
            throw CommandFailure(
                error.isPermissionDenied ? .permission : .noInput,
                "\(shown(path)): \(error.message)"
            )
        }
    }

    static func shown(_ path: String) -> String { path == "-" ? "standard input" : path }
}
