public import Core

/// The JSON of a delivery in a list.
public struct DeliveryBody: Resource {
    public static let usualLength = 512

    let delivery: Delivery

    public init(_ delivery: Delivery) {
        self.delivery = delivery
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", delivery.id.text)
        writer.member("counters") { $0.member("attempt", delivery.attempts) }
        writer.member("webhook_id", delivery.webhook.text)
        writer.member("event_id", delivery.event.text)
        writer.member("event_type", delivery.eventType.rawValue)
        writer.member("seq", delivery.sequence)
        writer.member("state", delivery.state.rawValue)
        writer.member("next_attempt_at", delivery.nextAttemptAt)
        writer.member("created_at", delivery.eventAt)
        writer.member("finished_at", delivery.finishedAt)
        writer.member("links") { writer in
            writer.member("self", Self.path(delivery))
            writer.member("webhook", "/webhooks/\(delivery.webhook.text)")
        }
    }

    public static func path(_ delivery: Delivery) -> String {
        "/webhooks/\(delivery.webhook.text)/deliveries/\(delivery.id.text)"
    }
}

/// The JSON of a delivery with its body and its attempts.
public struct DeliveryDetailBody: Resource {
    public static let usualLength = 4096

    let detail: DeliveryDetail

    public init(_ detail: DeliveryDetail) {
        self.detail = detail
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            DeliveryBody(detail.delivery).writeMembers(to: &writer)
            writer.member("body", String(decoding: detail.body, as: UTF8.self))
            writer.name("attempts")
            writer.array(detail.attempts) { $1.write(to: &$0) }
        }
    }
}

extension LoggedDeliveryAttempt {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", number)
            writer.member("started_at", attempt.startedAt)
            writer.member("request_headers") { writer in
                for field in attempt.fields {
                    writer.foreignName(field.name)
                    writer.string(field.value)
                }
            }
            writer.member("duration_ms", attempt.duration.wholeMilliseconds)
            writer.member("http_status", attempt.status)
            writer.member("error", attempt.error)
            // The bytes come from the receiver. Invalid UTF-8 is replaced.
            writer.member("response_excerpt", String(decoding: attempt.responseExcerpt, as: UTF8.self))
            writer.member("next_attempt_at", nextAttemptAt)
            writer.member("remote_address", attempt.remoteAddress)
        }
    }
}
