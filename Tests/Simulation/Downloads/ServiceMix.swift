/// How the service of a life is set up, and what its users ask beyond downloads.
///
/// It is drawn after everything else, and its plainest choices change nothing: a life that was kept before an entry was
/// added stays as it is.
struct ServiceMix {
    /// The rate limit of all downloads together, in bytes per second; nil for none.
    let rateLimit: Int64?
    /// The maximum number of running downloads of a host; nil for what the service derives.
    let maxPerHost: Int?
    /// The longest time that a call of the disk takes, in milliseconds.
    let longestCall: Int
    /// Whether finished files also go to a second root, which some processes find away.
    let hasSecondRoot: Bool
    /// Whether users repeat requests with keys, act on many downloads, limit sessions and look at what waits.
    let asksMore: Bool
    /// Whether origins redirect, and files have mirrors that lag behind.
    let hasDetours: Bool
    /// Whether users look at all downloads each time, and not at one.
    let looksAtAll: Bool

    init(_ world: World) {
        rateLimit = world.choices.chance(oneIn: 8, .mix) ? 100_000 : nil
        maxPerHost = [nil, nil, 1, 2][world.choices.number(below: 4, .mix)]
        longestCall = [3, 3, 3, 5_000][world.choices.number(below: 4, .mix)]
        hasSecondRoot = world.choices.chance(oneIn: 4, .mix)
        asksMore = world.choices.chance(oneIn: 3, .mix)
        hasDetours = world.choices.chance(oneIn: 4, .mix)
        looksAtAll = world.choices.chance(oneIn: 2, .mix)
    }
}
