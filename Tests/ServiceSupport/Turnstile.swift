/// Lets so many in at once, in the order in which they came.
///
/// All tests run at the same time, and each whole service among them has limits of time for strangers: were a hundred
/// of them to share two cores, they would meet those of the others.
actor Turnstile {
    static let services = Turnstile(places: 6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        free = places
    }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
