import CLinux
import Glibc

/// Random bytes from the kernel, suitable for keys (`getrandom(2)`).
public enum RandomBytes {
    /// Soon after boot it blocks until the kernel has enough entropy.
    public static func make(count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            done += try systemCall("getrandom") {
                bytes.withUnsafeMutableBytes { buffer in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    return getrandom(rest.baseAddress, rest.count, 0)
                }
            }
        }
        return bytes
    }

    /// `count` random bytes as `2 * count` lower-case hexadecimal digits.
    public static func hexadecimal(count: Int) throws(SystemError) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = try make(count: count)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
