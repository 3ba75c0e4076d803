import Testing
import TransferRules

struct ReviewIntervalTests {
    @Test(
        arguments: [
            (age: .zero, timeLeft: nil, next: .milliseconds(1)),
            (age: .milliseconds(50), timeLeft: nil, next: .milliseconds(4)),
            (age: .milliseconds(500), timeLeft: nil, next: .milliseconds(100)),
            // A new download that takes minutes need not be looked at each millisecond.
            (age: .zero, timeLeft: .seconds(5), next: .milliseconds(1)),
            (age: .zero, timeLeft: .seconds(400), next: .milliseconds(40)),
            (age: .zero, timeLeft: .seconds(86_400), next: .milliseconds(100)),
            (age: .milliseconds(499), timeLeft: .seconds(100), next: .milliseconds(10)),
            // What has settled is looked at a hundred times until its end.
            (age: .seconds(1), timeLeft: nil, next: .milliseconds(100)),
            (age: .seconds(1), timeLeft: .seconds(1), next: .milliseconds(100)),
            // In the last second connections end, and others divide the rest.
            (age: .seconds(1), timeLeft: .milliseconds(999), next: .milliseconds(10)),
            (age: .seconds(1), timeLeft: .seconds(30), next: .milliseconds(300)),
            (age: .seconds(60), timeLeft: .seconds(86_400), next: .seconds(1)),
        ] as [(age: Duration, timeLeft: Duration?, next: Duration)]
    )
    func aReviewComesWhileItMayChangeSomething(age: Duration, timeLeft: Duration?, next: Duration) {
        #expect(ReviewInterval.next(sinceChange: age, timeLeft: timeLeft) == next)
    }

    @Test(
        arguments: [
            // The slow start of the first connection makes it look as if the download took half an hour.
            (age: .milliseconds(100), timeLeft: .seconds(1800), roundTrip: .milliseconds(48), next: .milliseconds(6)),
            (age: .milliseconds(100), timeLeft: .seconds(1800), roundTrip: .seconds(2), next: .milliseconds(100)),
            (age: .milliseconds(100), timeLeft: .seconds(20), roundTrip: .milliseconds(48), next: .milliseconds(4)),
            (age: .milliseconds(10), timeLeft: .seconds(20), roundTrip: .milliseconds(48), next: .milliseconds(2)),
            (age: .milliseconds(100), timeLeft: .seconds(1800), roundTrip: .milliseconds(1), next: .milliseconds(100)),
            (age: .milliseconds(100), timeLeft: .seconds(1800), roundTrip: nil, next: .milliseconds(100)),
            // An origin that does not answer.
            (age: .milliseconds(500), timeLeft: .seconds(1800), roundTrip: .milliseconds(48), next: .seconds(1)),
        ] as [(age: Duration, timeLeft: Duration?, roundTrip: Duration?, next: Duration)]
    )
    func theFirstBytesFromFarAwayAreSeenWithinAnEighthOfTheirRoundTrip(
        age: Duration,
        timeLeft: Duration?,
        roundTrip: Duration?,
        next: Duration
    ) {
        #expect(ReviewInterval.next(sinceChange: age, timeLeft: timeLeft, awaiting: roundTrip) == next)
    }
}
