/// Follows the lines of a head through the memory that libmicrohttpd read it into.
///
/// libmicrohttpd 0.9.75 cuts a head into strings where it lies: the colon behind a name and both bytes of a line's end
/// become NUL. It joins folded lines at another place, cuts a value off at its first NUL and takes a bare line feed for
/// a line's end, and tells nobody. But each of these leaves another distance between two fields than two bytes: the
/// next name stands elsewhere (RFC 9112 sections 2.2 and 5.2 let a server refuse all three).
struct HeadLayout {
    private static let versionLength = 8
    /// CR and LF.
    private static let lineEndLength = 2

    /// Where the next line has to begin; nil once one began elsewhere.
    private var next: UnsafeRawPointer?

    /// - Parameter version: `HTTP/1.1`, which libmicrohttpd takes in no other length, at the end of the request line.
    init(behind version: UnsafePointer<CChar>) {
        next = UnsafeRawPointer(version) + Self.versionLength + Self.lineEndLength
    }

    /// - Parameters:
    ///   - name: Where it begins; so for `value`.
    ///   - nameLength: Up to the first NUL; so for `valueLength`.
    mutating func add(name: UnsafeRawPointer, _ nameLength: Int, value: UnsafeRawPointer, _ valueLength: Int) {
        // Between a name and its value there is nothing but the colon and white space.
        guard name == next, value > name + nameLength else {
            next = nil
            return
        }
        next = value + valueLength + Self.lineEndLength
    }

    /// Whether the empty line is all that follows.
    func ends(at end: UnsafeRawPointer) -> Bool { next.map { $0 + Self.lineEndLength == end } ?? false }
}
