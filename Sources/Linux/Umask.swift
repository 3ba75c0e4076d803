/// The permission bits that the operator wants no new file to have, `umask(2)`.
public enum Umask {
    /// Reads it without changing it, which `umask(2)` itself cannot do; `proc(5)` has shown it since Linux 4.7.
    public static func current() throws(SystemError) -> UInt32 {
        let status = try File(path: "/proc/self/status", access: .read).readToEnd(limit: 65_536)
        for line in status.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split { $0 == "\t" || $0 == " " }
            if words.first == "Umask:", let digits = words.last, let bits = UInt32(digits, radix: 8) { return bits }
        }
        // A container without proc(5)'s line: what almost every system has.
        return 0o022
    }
}
