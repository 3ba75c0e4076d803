public import Core
public import TransferRules

extension RampRules {
    /// Opens as many connections as are allowed, whatever they bring: a machine that is busy tells nothing of them.
    public static var unmeasured: RampRules {
        var rules = RampRules()
        rules.minimumShare = 64 << 10
        rules.worthwhileTime = .zero
        rules.shortestStep = .zero
        rules.leastSample = 0
        rules.leastGrowth = -1
        rules.firstGrowth = -1
        return rules
    }
}
