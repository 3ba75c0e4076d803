/// What kind of life a life of downloads is. Some are calm, so that a run can also come far.
struct DownloadMix {
    /// How often the process ends before its last start.
    let ends: Int
    /// Whether the wall clock is set, ahead and back.
    let setsClock: Bool
    /// How many file calls fail, at most one row of them for each process.
    let failingCalls: Int
    /// Whether some faults never end. Everything that they do not concern must come to its end all the same.
    let hasLastingFaults: Bool
    /// The time in seconds from the last start until nothing fails any more.
    let kindAfter: Int
    /// Whether the rules are checked after every commit, which takes time.
    let checksCommits: Bool

    init(_ world: World) {
        ends = world.choices.number(below: 4, .mix)
        setsClock = world.choices.chance(oneIn: 2, .mix)
        failingCalls = [0, 0, 0, 1, 1, 20][world.choices.number(below: 6, .mix)]
        hasLastingFaults = world.choices.chance(oneIn: 4, .mix)
        kindAfter = [5, 60, 3600][world.choices.number(below: 3, .mix)]
        checksCommits = world.choices.chance(oneIn: 16, .mix)
    }
}
