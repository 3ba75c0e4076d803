import Core
import HTTPFields

/// A value that is stored in one column.
protocol ColumnValue: ParameterValue {
    associatedtype Stored: StoredValue

    /// The stored form; nil for NULL.
    var stored: Stored? { get }

    /// Fails if the stored form is not a valid value.
    init?(stored: Stored?)
}

extension ColumnValue {
    var sqlValue: SQLValue { stored?.sqlValue ?? .null }
}

extension Optional: ParameterValue where Wrapped: ColumnValue {}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    var stored: Wrapped.Stored? { self?.stored }

    init?(stored: Wrapped.Stored?) {
        guard let stored else {
            self = .none
            return
        }
        guard let value = Wrapped(stored: stored) else { return nil }
        self = .some(value)
    }
}

// MARK: Types that databases have

protocol PlainColumn: ColumnValue, StoredValue where Stored == Self {}

extension PlainColumn {
    var stored: Self? { self }

    init?(stored: Self?) {
        guard let stored else { return nil }
        self = stored
    }
}

extension Bool: PlainColumn {}
extension Int64: PlainColumn {}
extension String: PlainColumn {}

extension Int: ColumnValue {
    var stored: Int64? { Int64(self) }

    init?(stored: Int64?) {
        guard let stored else { return nil }
        self.init(exactly: stored)
    }
}

/// Bytes, such as a body.
struct Blob: ColumnValue, Hashable {
    var bytes: [UInt8]

    var stored: [UInt8]? { bytes }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init?(stored: [UInt8]?) {
        guard let stored else { return nil }
        bytes = stored
    }
}

// MARK: Enums, by their raw values

protocol WordColumn: ColumnValue, RawRepresentable where RawValue == String, Stored == String {}

extension WordColumn {
    var stored: String? { rawValue }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(rawValue: stored)
    }
}

extension BulkAction: WordColumn {}
extension BulkFailure.Reason: WordColumn {}
extension ConflictPolicy: WordColumn {}
extension DeliveryState: WordColumn {}
extension DownloadError.Code: WordColumn {}
extension DownloadPhase: WordColumn {}
extension DownloadState: WordColumn {}
extension EventForm.Format: WordColumn {}
extension EventForm.Payload: WordColumn {}
extension EventType: WordColumn {}
extension MetalinkMode: WordColumn {}
extension OriginAuthentication.Scheme: WordColumn {}
extension RequestMethod: WordColumn {}
extension RequestRecord.DecisionKind: WordColumn {}
extension WaitingFor: WordColumn {}
extension Webhook.Creator: WordColumn {}
extension WebhookSettings.Ordering: WordColumn {}
extension WebhookSettings.Verification: WordColumn {}

// MARK: Values of the domain, as texts and numbers

extension Identifier: ColumnValue {
    var stored: String? { text }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(stored)
    }
}

extension SessionName: ColumnValue {
    var stored: String? { text }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(stored)
    }
}

extension SessionFilter: ColumnValue {
    var stored: String? { text }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(stored)
    }
}

extension FileName: ColumnValue {
    var stored: String? { value }

    init?(stored: String?) {
        guard let stored, let name = try? FileName(validating: stored) else { return nil }
        self = name
    }
}

extension RootName: ColumnValue {
    var stored: String? { text }

    init?(stored: String?) {
        guard let stored, let name = RootName(stored: stored) else { return nil }
        self = name
    }
}

extension RelativeDirectory: ColumnValue {
    var stored: String? { path }

    init?(stored: String?) {
        guard let stored, let directory = try? RelativeDirectory(validating: stored) else { return nil }
        self = directory
    }
}

/// Stored as text. The text was normalized before, so reading splits it without the parser.
extension DownloadURL: ColumnValue {
    var stored: String? { text }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(normalized: stored)
    }
}

extension MediaType: ColumnValue {
    var stored: String? { essence }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(stored)
    }
}

extension JSONText: ColumnValue {
    var stored: String? { text }

    init?(stored: String?) {
        guard let stored else { return nil }
        self.init(canonical: stored)
    }
}

extension Timestamp: ColumnValue {
    var stored: Int64? { milliseconds }

    init?(stored: Int64?) {
        guard let stored else { return nil }
        self.init(milliseconds: stored)
    }
}

extension Priority: ColumnValue {
    var stored: Int64? { Int64(value) }

    init?(stored: Int64?) {
        guard let stored else { return nil }
        self.init(clamping: Int(stored))
    }
}

extension WholeSeconds: ColumnValue {
    var stored: Int64? { count }

    init?(stored: Int64?) {
        guard let stored else { return nil }
        self.init(stored)
    }
}

/// The numbers, separated by spaces. An empty set is an empty text.
extension HTTPStatuses: ColumnValue {
    var stored: String? { sorted.map(String.init).joined(separator: " ") }

    init?(stored: String?) {
        guard let stored else { return nil }
        let numbers = stored.split(separator: " ").map { Int($0) }
        guard !numbers.contains(nil) else { return nil }
        self.init(numbers.compactMap(\.self))
    }
}

extension SealedCredentials: ColumnValue {
    var stored: [UInt8]? { bytes }

    init?(stored: [UInt8]?) {
        guard let stored else { return nil }
        self.init(bytes: stored)
    }
}

// MARK: Lists

/// An element of a list that is stored in one column. An empty list is NULL.
protocol ColumnListElement {
    /// The character between two elements. No element contains it.
    static var separator: Character { get }

    var listed: String { get }

    init?(listed: String)
}

extension Array: ParameterValue where Element: ColumnListElement {}

extension Array: ColumnValue where Element: ColumnListElement {
    var stored: String? {
        isEmpty ? nil : map(\.listed).joined(separator: String(Element.separator))
    }

    init?(stored: String?) {
        self.init()
        guard let stored else { return }
        for part in stored.split(separator: Element.separator) {
            guard let element = Element(listed: String(part)) else { return nil }
            append(element)
        }
    }
}

extension String: ColumnListElement {
    /// No listed name or word contains a line break.
    static var separator: Character { "\n" }

    var listed: String { self }

    init?(listed: String) { self = listed }
}

extension DownloadState: ColumnListElement {
    static var separator: Character { " " }

    var listed: String { rawValue }

    init?(listed: String) { self.init(rawValue: listed) }
}

extension Label: ColumnListElement {
    /// Canonical JSON escapes line breaks and tabs, so neither part contains one.
    static var separator: Character { "\n" }

    var listed: String { "\(name)\t\(value)" }

    init?(listed: String) {
        let parts = listed.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(name: String(parts[0]), value: String(parts[1]))
    }
}

extension DownloadURL: ColumnListElement {
    static var separator: Character { "\n" }

    var listed: String { text }

    init?(listed: String) { self.init(normalized: listed) }
}

extension Identifier: ColumnListElement {
    static var separator: Character { "\n" }

    var listed: String { text }

    init?(listed: String) { self.init(listed) }
}

extension Digest: ColumnListElement {
    /// `sha-256=… sha-512=…`
    static var separator: Character { " " }

    var listed: String { description }

    init?(listed: String) { self.init(listed) }
}
