/// Decodes a chunked body (RFC 9112, section 7.1), which arrives in pieces of any size.
///
/// libcurl parses the same chunks, but its faults, limits and proof of the end depend on its version. Only this decoder
/// decides whether a body is complete.
///
/// A line ends with CR LF, or with LF alone: some servers send it, and libcurl and browsers accept it. It never changes
/// which bytes belong to the body. CR without LF is refused.
struct ChunkDecoder {
    enum Fault: Hashable {
        /// A chunk has no size, or one with other characters than hexadecimal digits.
        case size
        /// A size has too many digits, or is above `Int64.max`.
        case sizeTooLarge
        /// A byte in an extension or a trailer is a control character.
        case character
        /// A line does not end where it must.
        case lineEnd
        /// A line of the trailers is no field.
        case trailer
        /// A line or the trailers have too many bytes.
        case tooLong
    }

    private enum State {
        case sizeStart, size, padding, extensions, sizeLineFeed
        case data, dataEnd, dataLineFeed
        case trailerStart, trailer, trailerLineFeed, lastLineFeed
        case complete
    }

    /// The maximum bytes of a line. libcurl refuses trailers of about 4,096 bytes.
    static let maximumLine = 4000
    /// The maximum bytes of all trailers.
    static let maximumTrailers = 64 << 10
    private static let maximumDigits = 16

    private var state = State.sizeStart
    /// The bytes of the present chunk that are missing; while its size is read, the size so far.
    private var rest: UInt64 = 0
    private var digitCount = 0
    private var lineLength = 0
    private var trailersLength = 0
    private var hasColon = false
    /// Why the body is invalid. No more bytes are decoded.
    private(set) var fault: Fault?
    /// Whether bytes follow the body. The connection must not be used again.
    private(set) var hasSurplus = false

    /// Whether the last chunk, the trailers and the final line end have arrived.
    var isComplete: Bool { state == .complete }

    /// Decodes a piece of the body.
    ///
    /// - Parameter take: Called with each run of content. The bytes are valid until it returns.
    mutating func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void) {
        var position = 0
        while position < bytes.count, fault == nil {
            switch state {
            case .data:
                let count = Int(min(rest, UInt64(bytes.count - position)))
                take(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
                position += count
                rest -= UInt64(count)
                if rest == 0 { state = .dataEnd }
            case .complete:
                hasSurplus = true
                return
            default:
                fault = consume(bytes[position])
                position += 1
            }
        }
    }

    /// Consumes a byte that is no content.
    private mutating func consume(_ byte: UInt8) -> Fault? {
        switch state {
        case .sizeStart, .size: return consumeSize(byte)
        case .padding, .extensions: return consumeExtension(byte)
        case .sizeLineFeed: return byte == .lineFeed ? endSizeLine() : .lineEnd
        case .dataEnd where byte == .carriageReturn: state = .dataLineFeed
        case .dataEnd, .dataLineFeed:
            guard byte == .lineFeed else { return .lineEnd }
            state = .sizeStart
        case .trailerStart, .trailer: return consumeTrailer(byte)
        case .trailerLineFeed:
            guard byte == .lineFeed else { return .lineEnd }
            return endTrailer()
        case .lastLineFeed:
            guard byte == .lineFeed else { return .lineEnd }
            state = .complete
        case .data, .complete: break
        }
        return nil
    }

    private mutating func consumeSize(_ byte: UInt8) -> Fault? {
        if let digit = byte.hexadecimalDigit {
            if state == .sizeStart { (rest, digitCount, lineLength, state) = (0, 0, 0, .size) }
            digitCount += 1
            guard digitCount <= Self.maximumDigits, rest <= UInt64(Int64.max) >> 4 else { return .sizeTooLarge }
            rest = rest << 4 | UInt64(digit)
            return nil
        }
        guard state == .size else { return .size }
        state = .padding
        return consumeExtension(byte)
    }

    /// Consumes the rest of a size's line. Some servers pad a size with spaces. Extensions are ignored, as the RFC
    /// requires of unknown ones.
    private mutating func consumeExtension(_ byte: UInt8) -> Fault? {
        lineLength += 1
        guard lineLength <= Self.maximumLine else { return .tooLong }
        switch byte {
        case .carriageReturn: state = .sizeLineFeed
        case .lineFeed: return endSizeLine()
        case _ where state == .padding:
            if byte == UInt8(ascii: ";") { state = .extensions } else if !byte.isBlank { return .size }
        default: return byte.isControl ? .character : nil
        }
        return nil
    }

    private mutating func endSizeLine() -> Fault? {
        state = rest == 0 ? .trailerStart : .data
        return nil
    }

    /// Consumes a byte of the trailers, whose fields are ignored.
    private mutating func consumeTrailer(_ byte: UInt8) -> Fault? {
        if state == .trailerStart {
            if byte == .carriageReturn { state = .lastLineFeed } else if byte == .lineFeed { state = .complete }
            guard state == .trailerStart else { return nil }
            guard byte.isTokenCharacter else { return .trailer }
            (lineLength, hasColon, state) = (0, false, .trailer)
        }
        lineLength += 1
        trailersLength += 1
        guard lineLength <= Self.maximumLine, trailersLength <= Self.maximumTrailers else { return .tooLong }
        switch byte {
        case .carriageReturn: state = .trailerLineFeed
        case .lineFeed: return endTrailer()
        case UInt8(ascii: ":"): hasColon = true
        default: return byte.isControl ? .character : nil
        }
        return nil
    }

    private mutating func endTrailer() -> Fault? {
        guard hasColon else { return .trailer }
        state = .trailerStart
        return nil
    }
}

extension UInt8 {
    fileprivate static let carriageReturn: UInt8 = 0x0D
    fileprivate static let lineFeed: UInt8 = 0x0A

    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// A control character other than a tab.
    fileprivate var isControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
