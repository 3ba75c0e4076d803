import Core

/// The members `timeouts` and `retry` of a download.
extension ObjectReader {
    private static let day: Int64 = 86_400

    mutating func timeouts(of choices: inout RetryChoices, _ list: inout ViolationList) {
        guard var reader = object("timeouts", &list) else { return }
        choices.connectTimeout = reader.connectTimeout(&list)
        choices.silenceTimeout = reader.silenceTimeout(&list)
        choices.giveUpAfter = reader.giveUpAfter(&list)
        reader.finish(&list)
    }

    mutating func retry(of choices: inout RetryChoices, _ list: inout ViolationList) {
        guard var reader = object("retry", &list) else { return }
        choices.delay = reader.retryDelay(&list)
        choices.maxDelay = reader.maxRetryDelay(&list)
        choices.statuses = reader.retryStatuses(&list)
        reader.finish(&list)
    }

    /// An absent member keeps its value, null clears it.
    mutating func timeoutChanges(_ list: inout ViolationList) -> DownloadEdit.TimeoutChanges {
        var changes = DownloadEdit.TimeoutChanges()
        if value("timeouts") == .null { return .clear }
        guard var reader = object("timeouts", &list) else { return changes }
        changes.connect = reader.change("connect_seconds") { $0.connectTimeout(&list) }
        changes.silence = reader.change("silence_seconds") { $0.silenceTimeout(&list) }
        changes.giveUp = reader.change("give_up_seconds") { $0.giveUpAfter(&list) }
        reader.finish(&list)
        return changes
    }

    /// An absent member keeps its value, null clears it.
    mutating func retryChanges(_ list: inout ViolationList) -> DownloadEdit.RetryChanges {
        var changes = DownloadEdit.RetryChanges()
        if value("retry") == .null { return .clear }
        guard var reader = object("retry", &list) else { return changes }
        changes.delay = reader.change("delay_seconds") { $0.retryDelay(&list) }
        changes.maxDelay = reader.change("max_delay_seconds") { $0.maxRetryDelay(&list) }
        changes.statuses = reader.change("statuses") { $0.retryStatuses(&list) }
        reader.finish(&list)
        return changes
    }

    private mutating func connectTimeout(_ list: inout ViolationList) -> WholeSeconds? {
        seconds("connect_seconds", upTo: 600, &list)
    }

    private mutating func silenceTimeout(_ list: inout ViolationList) -> WholeSeconds? {
        seconds("silence_seconds", upTo: Self.day, &list)
    }

    private mutating func giveUpAfter(_ list: inout ViolationList) -> WholeSeconds? {
        seconds("give_up_seconds", upTo: 365 * Self.day, &list)
    }

    private mutating func retryDelay(_ list: inout ViolationList) -> WholeSeconds? {
        seconds("delay_seconds", upTo: Self.day, &list)
    }

    private mutating func maxRetryDelay(_ list: inout ViolationList) -> WholeSeconds? {
        seconds("max_delay_seconds", upTo: Self.day, &list)
    }

    private mutating func seconds(_ name: String, upTo most: Int64, _ list: inout ViolationList) -> WholeSeconds? {
        integer(name, in: 1...most, &list).map(WholeSeconds.init)
    }

    private mutating func retryStatuses(_ list: inout ViolationList) -> HTTPStatuses? {
        guard let items = array("statuses", atMost: HTTPStatuses.range.count, "statuses", &list) else { return nil }
        var statuses: [Int] = []
        for (item, pointer) in items {
            guard case .number = item else {
                list.addWrongType(pointer, expected: "a whole number", found: item)
                continue
            }
            guard let status = item.integer.map({ Int(clamping: $0) }), HTTPStatuses.range.contains(status) else {
                list.add(pointer, .outOfRange, "Expected an HTTP status from 400 to 599.")
                continue
            }
            statuses.append(status)
        }
        return HTTPStatuses(statuses)
    }
}

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
