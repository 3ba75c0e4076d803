import Core

extension RetryChoices {
    /// Writes the members `timeouts` and `retry`. A null means the setting of the service.
    func write(to writer: inout JSONWriter) {
        writer.member("timeouts") { writer in
            writer.member("connect_seconds", connectTimeout?.count)
            writer.member("silence_seconds", silenceTimeout?.count)
            writer.member("give_up_seconds", giveUpAfter?.count)
        }
        writer.member("retry") { writer in
            writer.member("delay_seconds", delay?.count)
            writer.member("max_delay_seconds", maxDelay?.count)
            writer.name("statuses")
            if let statuses { writer.array(statuses.sorted) { $0.integer(Int64($1)) } } else { writer.null() }
        }
    }
}
