/// How the time from the signal to the end of the process is divided among those who end one after the other: what one
/// does not use is the next one's, and what one uses up is never the next one's share.
struct DrainBudget {
    let total: Duration

    /// For the requests in hand. One that takes longer is cut off.
    var requests: Duration { total * 2 / 5 }

    /// For the deliveries under way. One that takes longer is sent again.
    var webhooks: Duration { total / 5 }

    /// Until the workers that have not recorded their last bytes are left behind for the next start: what follows, the
    /// end of the transfers and of the store, takes a moment too.
    var services: Duration { total * 9 / 10 }
}
