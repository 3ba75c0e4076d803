/// What an FTP server has said on the control connection (RFC 959, section 4.2).
struct FTPReplies {
    private(set) var byteCount = 0
    /// The last reply but that to QUIT.
    private(set) var last: Int?
    /// The reply that the data follow; nil as long as there was none.
    private(set) var opening: Int?
    /// The size that had been told then.
    private(set) var toldSize: Int64?

    /// - Parameter size: What libcurl takes for the file's size at this line. When the data begin that is what SIZE
    ///   told; later it takes other numbers for it.
    mutating func take(_ line: UnsafeRawBufferPointer, size: @autoclosure () -> Int64?) {
        byteCount += line.count
        // The lines of a reply but the last have a hyphen after the number.
        guard line.count > 3, line[3] != UInt8(ascii: "-"),
            let code = Int(String(decoding: line.prefix(3), as: UTF8.self)), code != 221
        else { return }
        last = code
        guard code == 150 || code == 125 else { return }
        (opening, toldSize) = (code, size())
    }
}
