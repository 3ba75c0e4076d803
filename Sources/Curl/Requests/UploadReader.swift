import Linux

/// Reads an ``UploadBody`` for libcurl, from the first byte to the last, and again after a seek.
struct UploadReader {
    /// Why the rest of the body cannot be read.
    enum Fault: Error, Hashable {
        /// The file ended at this offset of the body.
        case ended(at: Int64)
        case failed(SystemError)
    }

    let body: UploadBody
    private(set) var position: Int64 = 0
    /// The first fault. No byte is read after it, because libcurl must not send what follows a gap.
    private(set) var fault: Fault?

    /// The most bytes of one read, so that a read does not hold up other transfers.
    static let largestPiece = 64 << 10

    init(_ body: UploadBody) {
        self.body = body
    }

    /// Reads the next bytes.
    ///
    /// - Returns: How many; 0 at the end of the body, nil after a fault.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard fault == nil else { return nil }
        guard position < body.count, !buffer.isEmpty else { return 0 }
        do throws(SystemError) {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.largestPiece))
            let count = try body.read(into: piece, at: position)
            // Without this check libcurl 7.88 would end the request here, as if the body were complete.
            if count == 0 { fault = .ended(at: position) }
            position += Int64(count)
            return count == 0 ? nil : count
        } catch {
            fault = .failed(error)
            return nil
        }
    }

    /// Continues at another offset of the body.
    ///
    /// - Returns: False if there is no such offset.
    mutating func seek(to offset: Int64) -> Bool {
        guard fault == nil, (0...body.count).contains(offset) else { return false }
        position = offset
        return true
    }
}
