import Core
import Foundation
import GRDB
import HTTPFields

// The parts of a download as columns, each reading and writing in the order of `DownloadColumns`.

extension DownloadRequest {
    init(_ reader: inout RowReader) throws {
        let url = try SourceURL(&reader)
        // The authority is there for indexes; it follows from host and port.
        _ = try reader.next(String.self)
        try self.init(
            url: url,
            mirrors: [String](column: reader.optional()),
            metalink: reader.word(),
            refreshURL: reader.optional(),
            filename: reader.optional(String.self).map(FileName.init(validating:)),
            onConflict: reader.word(),
            credentials: reader.optional(Data.self).map { SealedCredentials(bytes: [UInt8]($0)) },
            outline: RequestSummary(&reader),
            expected: Expected(sizeBytes: reader.optional(), digests: [Digest](column: reader.optional())),
            maxBytes: reader.optional(),
            rateBytesPerSecond: reader.optional(),
            connections: reader.optional(),
            maxAttempts: reader.optional(),
            deadline: reader.next() ? .serviceDefault : .at(Timestamp(milliseconds: 0)),
            priority: Priority(clamping: reader.next()),
            notBefore: reader.optionalTime(),
            acceptsUnverifiedLength: reader.next(),
            labels: reader.optional(String.self).map(JSONText.init(canonical:)),
            metadata: reader.optional(String.self).map(JSONText.init(canonical:))
        )
    }

    func write(to writer: inout RowWriter) {
        url.write(to: &writer)
        writer.add(url.authority)
        writer.add(mirrors.column)
        writer.add(metalink.rawValue)
        writer.add(refreshURL)
        writer.add(filename?.value)
        writer.add(onConflict.rawValue)
        writer.add((credentials?.bytes).map { Data($0) })
        outline.write(to: &writer)
        writer.add(expected.sizeBytes)
        writer.add(expected.digests.column)
        writer.add(maxBytes)
        writer.add(rateBytesPerSecond)
        writer.add(connections)
        writer.add(maxAttempts)
        writer.add(deadline == .serviceDefault)
        writer.add(priority.value)
        writer.add(notBefore?.milliseconds)
        writer.add(acceptsUnverifiedLength)
        writer.add(labels?.text)
        writer.add(metadata?.text)
    }
}

extension RequestSummary {
    init(_ reader: inout RowReader) throws {
        try self.init(
            headerNames: [String](column: reader.optional()),
            cookieNames: [String](column: reader.optional()),
            scheme: reader.optionalWord(),
            postedBytes: reader.optional(),
            proxy: reader.optional()
        )
    }

    func write(to writer: inout RowWriter) {
        writer.add(headerNames.column)
        writer.add(cookieNames.column)
        writer.add(scheme?.rawValue)
        writer.add(postedBytes)
        writer.add(proxy)
    }
}

extension SourceURL {
    init(_ reader: inout RowReader) throws {
        let text: String = try reader.next()
        let scheme: String = try reader.next()
        let host: String = try reader.next()
        let port: Int64 = try reader.next()
        self.init(text: text, scheme: scheme, host: host, port: UInt16(clamping: port), path: try reader.next())
    }

    func write(to writer: inout RowWriter) {
        writer.add(text)
        writer.add(scheme)
        writer.add(host)
        writer.add(Int64(port))
        writer.add(path)
    }
}

extension Download.Source {
    init(_ reader: inout RowReader) throws {
        try self.init(
            finalURL: reader.optional(),
            redirects: reader.next(),
            httpVersion: reader.optional(),
            status: reader.optional(),
            etag: reader.optional(),
            lastModified: reader.optional(),
            isLastModifiedStrong: reader.next(),
            contentType: reader.optional(),
            contentEncoding: reader.optional(),
            suggestedName: reader.optional(),
            remoteAddress: reader.optional(),
            digests: [Digest](column: reader.optional()),
            url: reader.optional(),
            mirrors: [String](column: reader.optional()),
            isMetalink: reader.next()
        )
        former = Download.PreviousFile(&reader)
    }

    func write(to writer: inout RowWriter) {
        writer.add(finalURL)
        writer.add(redirects)
        writer.add(httpVersion)
        writer.add(status)
        writer.add(etag)
        writer.add(lastModified)
        writer.add(isLastModifiedStrong)
        writer.add(contentType)
        writer.add(contentEncoding)
        writer.add(suggestedName)
        writer.add(remoteAddress)
        writer.add(digests.column)
        writer.add(url)
        writer.add(mirrors.column)
        writer.add(isMetalink)
        writer.add(former?.totalBytes)
        writer.add(former?.etag)
        writer.add(former?.lastModified)
        writer.add(former?.contentType)
    }
}

extension Download.PreviousFile {
    fileprivate init?(_ reader: inout RowReader) {
        let total: Int64? = reader.optional()
        let etag: String? = reader.optional()
        let lastModified: String? = reader.optional()
        let contentType: String? = reader.optional()
        guard let contentType else { return nil }
        self.init(totalBytes: total, etag: etag, lastModified: lastModified, contentType: contentType)
    }
}

extension PublishedFile {
    init?(_ reader: inout RowReader) throws {
        let path: String? = reader.optional()
        let size: Int64? = reader.optional()
        let digestText: String? = reader.optional()
        let device: Int64? = reader.optional()
        let inode: Int64? = reader.optional()
        let modified: Int64? = reader.optional()
        let isMissing: Bool? = reader.optional()
        guard let path, let size, let device, let inode else { return nil }
        self.init(
            path: path,
            sizeBytes: size,
            digests: try [Digest](column: digestText),
            identity: FileIdentity(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode)),
            modifiedNanoseconds: modified
        )
        self.isMissing = isMissing ?? false
    }

    static func write(_ file: Self?, to writer: inout RowWriter) {
        writer.add(file?.path)
        writer.add(file?.sizeBytes)
        writer.add(file?.digests.column)
        writer.add((file?.identity.device).map(Int64.init(bitPattern:)))
        writer.add((file?.identity.inode).map(Int64.init(bitPattern:)))
        writer.add(file?.modifiedNanoseconds)
        writer.add(file?.isMissing)
    }
}

extension DownloadFailure {
    init?(_ reader: inout RowReader) throws {
        let code: DownloadError.Code? = try reader.optionalWord()
        let message: String? = reader.optional()
        let status: Int? = reader.optional()
        let transportCode: Int? = reader.optional()
        let isRetried: Bool? = reader.optional()
        let attempt: Int? = reader.optional()
        let at = reader.optionalTime()
        guard let code, let at else { return nil }
        self.init(
            error: DownloadError(
                code,
                message: message ?? "",
                httpStatus: status,
                transportCode: transportCode
            ),
            isRetried: isRetried ?? false,
            attempt: attempt ?? 0,
            at: at
        )
    }

    static func write(_ failure: Self?, to writer: inout RowWriter) {
        writer.add(failure?.error.code.rawValue)
        writer.add(failure?.error.message)
        writer.add(failure?.error.httpStatus)
        writer.add(failure?.error.transportCode)
        writer.add(failure?.isRetried)
        writer.add(failure?.attempt)
        writer.add(failure?.at.milliseconds)
    }
}

extension [Digest] {
    /// Digests as one column: `sha-256=… sha-512=…`
    fileprivate init(column: String?) throws {
        self = try (column ?? "").split(separator: " ").map { part in
            guard let digest = Digest(String(part)) else { throw StoreError.unreadable("digest '\(part)'") }
            return digest
        }
    }

    fileprivate var column: String? {
        isEmpty ? nil : map(\.description).joined(separator: " ")
    }
}

extension [WebhookID] {
    /// Ids as one column, one a line.
    init(column: String?) throws {
        self = try [String](column: column).map { text in
            guard let id = WebhookID(text) else { throw StoreError.unreadable("id '\(text)'") }
            return id
        }
    }

    var column: String? { map(\.text).column }
}

extension [String] {
    /// URLs, names or words as one column, one a line: none of them has a line break in it.
    init(column: String?) {
        self = (column ?? "").split(separator: "\n").map(String.init)
    }

    var column: String? { isEmpty ? nil : joined(separator: "\n") }
}
