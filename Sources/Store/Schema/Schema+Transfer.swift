/// The tables of what a download has received and requested.
extension Schema {
    /// How far each range of the part file is durable.
    static let segment = """
        CREATE TABLE segment (
            download {text} NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            generation {integer} NOT NULL,
            idx {integer} NOT NULL,
            start_byte {integer} NOT NULL CHECK (start_byte >= 0),
            end_byte {integer},
            durable_end {integer} NOT NULL,
            PRIMARY KEY (download, generation, idx),
            CHECK (durable_end >= start_byte),
            CHECK (end_byte IS NULL OR durable_end <= end_byte)
        ) {by key};
        """

    /// The digests of the blocks of the part file: 64 bits each, stored as signed integers.
    static let block = """
        CREATE TABLE block (
            download {text} NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            generation {integer} NOT NULL,
            start_byte {integer} NOT NULL CHECK (start_byte >= 0),
            end_byte {integer} NOT NULL,
            digest {integer} NOT NULL,
            PRIMARY KEY (download, generation, start_byte),
            CHECK (end_byte > start_byte)
        ) {by key};
        """

    /// The request log of a download. It keeps the newest requests.
    static let request = """
        CREATE TABLE request (
            download {text} NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            number {integer} NOT NULL CHECK (number > 0),
            run {integer} NOT NULL,
            attempt {integer} NOT NULL,
            at {integer} NOT NULL,
            method {text} NOT NULL CHECK (method IN ('GET', 'POST')),
            url {text} NOT NULL,
            redirects {integer} NOT NULL,
            first_byte {integer},
            last_byte {integer},
            http_status {integer},
            http_version {text},
            etag {text},
            last_modified {text},
            content_range {text},
            content_length {integer},
            remote_address {text},
            decision {text},
            reason {text},
            received_bytes {integer},
            duration_ms {integer},
            error {text},
            curl_code {integer},
            PRIMARY KEY (download, number),
            CHECK ((received_bytes IS NULL) = (duration_ms IS NULL))
        ) {by key};
        """
}
