extension FileName {
    private static let highestNumber = 99
    /// Kept free in a sanitised name, so that a number takes nothing from it.
    static let numberBytes = mark(highestNumber).utf8.count

    /// The names to try, in order, where names are taken: this one, numbered ones, and one that no other download can
    /// have.
    public func candidates(for download: DownloadID) -> some Sequence<FileName> {
        (0...Self.highestNumber + 1).lazy.map { number in
            switch number {
            case 0: self
            case ...Self.highestNumber: numbered(number)
            default: FileName(sanitizing: "\(download) \(value)")
            }
        }
    }

    /// `name (1).ext`, and so on. It never exceeds ``maximumBytes``.
    ///
    /// - Parameter number: From 1.
    func numbered(_ number: Int) -> FileName {
        let (stem, suffix) = Self.split(value)
        let mark = Self.mark(number)
        let room = Self.maximumBytes - mark.utf8.count - suffix.utf8.count
        let kept = stem.utf8.count > room ? stem.prefix(bytes: room) : stem
        return FileName(unchecked: kept + mark + suffix)
    }

    private static func mark(_ number: Int) -> String { " (\(number))" }

    /// The stem, and the extension with its dot. `.tar.gz` and its like count as one; what is longer than 32 bytes or
    /// not made of letters and digits is no extension.
    static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let cut = lastExtension(of: name[...]) else { return (name, "") }
        let stem = name[..<cut]
        if let inner = lastExtension(of: stem), stem[inner...].lowercased() == ".tar" {
            return (String(name[..<inner]), String(name[inner...]))
        }
        return (String(stem), String(name[cut...]))
    }

    /// Where the extension begins, at its dot; never at the start of the name.
    private static func lastExtension(of name: Substring) -> Substring.Index? {
        let utf8 = name.utf8
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot != utf8.startIndex else { return nil }
        let letters = utf8[utf8.index(after: dot)...]
        let isExtension =
            !letters.isEmpty && letters.count <= 32
            && letters.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
        return isExtension ? dot : nil
    }
}
