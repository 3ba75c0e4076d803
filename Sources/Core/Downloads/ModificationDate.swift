public import HTTPFields

extension Download.Source {
    /// The time by which an origin's clock may be ahead, in seconds.
    private static let tolerance: Int64 = 86_400

    /// The time that the origin states for the last change of the file; nil if it states none, or one that cannot be
    /// right: before 1970, or more than a day in the future.
    public func modificationDate(now: Timestamp) -> HTTPDate? {
        let now = HTTPDate(secondsSinceEpoch: now.seconds)
        guard let date = lastModified.flatMap({ HTTPDate($0, now: now) }) else { return nil }
        return date.secondsSinceEpoch >= 0 && date.seconds(since: now) <= Self.tolerance ? date : nil
    }
}

extension PublishedFile {
    /// The modification time of the file when it was finished; nil if not recorded.
    public var modifiedAt: Timestamp? {
        modifiedNanoseconds.map { Timestamp(milliseconds: $0.floorDivided(by: 1_000_000)) }
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
