/// The permission bits that the operator wants no new file to have, `umask(2)`, as they were when first asked for.
public enum Umask {
    /// The permissions of a new file that everyone may read: what `open(2)` would give it.
    public static let fileMode: UInt32 = 0o666 & ~bits

    /// The bits themselves, read without changing them, which `umask(2)` itself cannot do; `proc(5)` has shown it since
    /// Linux 4.7.
    public static let bits: UInt32 = {
        // Where it is not shown, the bits are those of almost every system.
        let status = (try? File(path: "/proc/self/status", access: .read).readToEnd(limit: 65_536)) ?? []
        for line in status.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split { $0 == "\t" || $0 == " " }
            if words.first == "Umask:", let digits = words.last, let bits = UInt32(digits, radix: 8) { return bits }
        }
        return 0o022
    }()
}
