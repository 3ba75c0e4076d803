/// What an FTP server has said on the control connection (RFC 959, section 4.2).
struct FTPReplies {
    private(set) var byteCount = 0
    /// The last reply but that to QUIT.
    private(set) var last: Int?
    /// The reply that the data follow; nil as long as there was none.
    private(set) var opening: Int?
    /// The size that had been told then.
    private(set) var toldSize: Int64?
    /// The number of bytes that the reply itself names, as in "150 Opening data connection (1000 bytes)". No rule gives
    /// it a meaning, but without another size libcurl reads no further.
    private(set) var announcedSize: Int64?

    /// A reply of several lines ends for libcurl at the first that begins with three digits and a space, be they its
    /// own number or not. What it does depends on what it takes for a reply, so the same counts as one here.
    ///
    /// - Parameter size: What libcurl takes for the file's size at this line. When the data begin that is what SIZE
    ///   told; later it takes other numbers for it.
    mutating func take(_ line: UnsafeRawBufferPointer, size: @autoclosure () -> Int64?) {
        byteCount += line.count
        guard let code = Self.number(of: line), code != 221 else { return }
        last = code
        guard code == 150 || code == 125 else { return }
        (opening, toldSize) = (code, size())
        announcedSize = Self.announcedSize(String(decoding: line, as: UTF8.self))
    }

    /// - Returns: Nil for a line that ends no reply.
    private static func number(of line: UnsafeRawBufferPointer) -> Int? {
        let digits = line.prefix(3)
        guard line.count > 3, line[3] == UInt8(ascii: " "),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func announcedSize(_ text: String) -> Int64? {
        guard let unit = text.firstRange(of: " bytes"), let start = text[..<unit.lowerBound].lastIndex(of: "(") else {
            return nil
        }
        return Int64(text[text.index(after: start)..<unit.lowerBound])
    }
}
