import Curl
import HTTPServer
import Store

/// The versions of a library with which every test was run: those of Debian 12, of Debian 13 and of the next release.
///
/// The service also starts with other versions. What it promises is checked by its own code
/// (docs/decisions/0053, docs/decisions/0054).
struct TestedVersions: Hashable {
    let library: String
    /// The oldest version, and the newest. A bound with two numbers stands for all versions that begin with them.
    let oldest: String
    let newest: String

    static let curl = Self(library: "libcurl", oldest: "7.88.1", newest: "8.22")
    static let microHTTP = Self(library: "libmicrohttpd", oldest: "0.9.75", newest: "1.0.10")
    static let sqlite = Self(library: "SQLite", oldest: "3.40.1", newest: "3.53")

    /// A sentence for each loaded library with another version.
    ///
    /// - Throws: The error of SQLite, which could not be asked for its version.
    static func warnings() throws -> [String] {
        try [
            curl.warning(for: CurlLibrary.number),
            microHTTP.warning(for: MicroHTTPLibrary.versionText),
            sqlite.warning(for: SQLiteLibrary.versionText()),
        ].compactMap(\.self)
    }

    /// - Returns: nil if `version` was tested.
    func warning(for version: String) -> String? {
        let (given, first, last) = (numbers(version), numbers(oldest), numbers(newest))
        let isOlder = given.lexicographicallyPrecedes(first)
        let isNewer = last.lexicographicallyPrecedes(given.prefix(last.count))
        guard given.isEmpty || isOlder || isNewer else { return nil }
        return "\(library) \(version) was not tested; \(oldest) to \(newest) were"
    }

    /// The numbers between the dots; those of `8.22.0-DEV` are 8, 22 and 0. Empty if the text begins with no number.
    private func numbers(_ version: String) -> [Int] {
        let digits = version.prefix { $0.isNumber || $0 == "." }
        return digits.split(separator: ".").compactMap { Int($0) }
    }
}
