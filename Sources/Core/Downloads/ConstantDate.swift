import HTTPFields

/// Modification dates that tools give to every version of a file, so that equal dates prove nothing about the bytes.
///
/// Such a date looks strong because it is old. It is judged when a validator is used, so it does not matter when the
/// validator was stored.
///
/// * Up to 1970-01-01T00:00:01Z: servers and file systems that know no date. OSTree sets 0, the stores of Nix and Guix
///   set 1; the zero of .NET, Go and FILETIME is earlier.
/// * 1980-01-01T00:00:00 in any zone: the first date of ZIP, which stores local time; `SOURCE_DATE_EPOCH` of Nixpkgs.
/// * 1980-02-01T00:00:00 in any zone: archives of Gradle (`preserveFileTimestamps = false`).
/// * 1985-10-26T08:15:00Z: packages of npm.
enum ConstantDate {
    private static let hour: Int64 = 3600
    private static let unset: ClosedRange<Int64> = Int64.min...1
    private static let zipEpoch = anyZone(315_532_800)
    private static let gradle = anyZone(318_211_200)
    private static let npm: ClosedRange<Int64> = 499_162_500...499_162_500

    /// The instants at which a clock somewhere shows the time that UTC has at `seconds`: zones reach from UTC-12 to
    /// UTC+14.
    private static func anyZone(_ seconds: Int64) -> ClosedRange<Int64> { seconds - 14 * hour...seconds + 12 * hour }

    static func contains(_ date: HTTPDate) -> Bool { contains(seconds: date.secondsSinceEpoch) }

    private static func contains(seconds: Int64) -> Bool {
        [unset, zipEpoch, gradle, npm].contains { $0.contains(seconds) }
    }

    /// Whether a tag consists of such a date and the size of the file, both in hexadecimal.
    ///
    /// nginx writes the date in seconds, then the size (`ngx_http_set_etag`). Apache writes the size, then the date in
    /// microseconds (`FileETag MTime Size`). aiohttp writes nanoseconds, then the size.
    ///
    /// - Parameters:
    ///   - size: The size of the file; nil if it is unknown. Then the date must be `stated`.
    ///   - stated: The date that the response states.
    static func isEncoded(in tag: EntityTag, size: Int64?, stated: HTTPDate?) -> Bool {
        let parts = tag.opaque.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.hasPrefix("+") }) else { return false }
        let numbers = parts.compactMap { Int64($0, radix: 16) }
        guard numbers.count == 2 else { return false }
        return zip(numbers, numbers.reversed()).contains { date, length in
            unitsInSecond.contains { unit in
                date % unit == 0 && contains(seconds: date / unit)
                    && (size.map { $0 == length } ?? (stated?.secondsSinceEpoch == date / unit))
            }
        }
    }

    /// Seconds, milliseconds, microseconds and nanoseconds.
    private static let unitsInSecond: [Int64] = [1, 1000, 1_000_000, 1_000_000_000]
}
