public import HTTPFields

/// What the suffix of a name says about a file, and the suffixes of media types.
public enum FileSuffix {
    /// What a suffix says about the content.
    public enum Kind: Hashable, Sendable {
        /// A web page, or a program that usually sends one.
        case page
        /// A file that is no web page.
        case file
    }

    /// What the suffix of a name says; nil without a suffix, or for one that is not known.
    public static func kind(ofName name: String) -> Kind? {
        guard let suffix = suffix(ofName: name) else { return nil }
        if pages.contains(suffix) { return .page }
        return files.contains(suffix) ? .file : nil
    }

    /// The usual suffix for a media type, without its dot; nil for a type that says nothing, such as
    /// `application/octet-stream`.
    public static func suffix(of type: MediaType) -> String? { suffixes[type.essence] }

    /// The suffix of a name in lower case, without its dot. A number is part of the name: `release-1.2` has no suffix.
    static func suffix(ofName name: String) -> String? {
        let suffix = FileName.split(name).suffix.lowercased()
        guard let dot = suffix.lastIndex(of: "."), suffix.utf8.contains(where: \.isASCIILetter) else { return nil }
        return String(suffix[suffix.index(after: dot)...])
    }

    private static let pages: Set<String> = [
        "asp", "aspx", "cfm", "cgi", "htm", "html", "jsp", "jspx", "php", "phtml", "shtml", "xht", "xhtml",
    ]

    /// Files that the table of media types does not name.
    private static let others = """
        aac appimage azw3 bin br cab crate crx csr dat db der diff djvu dng dylib egg eot flatpak flv gem gguf gpg h5 \
        hdf5 img ipa iso jpeg jxl lz lz4 lzma m4b m4v mobi mpeg msix ndjson nef npy npz nupkg oga ogv onnx ova parquet \
        patch pb pem pkg pkl pth qcow2 raw safetensors sha256 sha512 sig snap sqlite srt tbz2 tgz tiff tsv txz vdi vhd \
        vhdx vmdk vtt war whl wim wma wmv woff xpi yml
        """

    private static let files = Set(suffixes.values).subtracting(pages)
        .union(others.split(separator: " ").map(String.init))

    /// The media types that origins send most, by the registry of IANA; unregistered ones as origins name them.
    private static let suffixes = [
        "application/epub+zip": "epub",
        "application/geo+json": "geojson",
        "application/gzip": "gz",
        "application/java-archive": "jar",
        "application/javascript": "js",
        "application/json": "json",
        "application/ld+json": "jsonld",
        "application/metalink4+xml": "meta4",
        "application/msword": "doc",
        "application/pdf": "pdf",
        "application/rtf": "rtf",
        "application/sql": "sql",
        "application/vnd.android.package-archive": "apk",
        "application/vnd.debian.binary-package": "deb",
        "application/vnd.microsoft.portable-executable": "exe",
        "application/vnd.ms-excel": "xls",
        "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.oasis.opendocument.presentation": "odp",
        "application/vnd.oasis.opendocument.spreadsheet": "ods",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.rar": "rar",
        "application/wasm": "wasm",
        "application/x-7z-compressed": "7z",
        "application/x-apple-diskimage": "dmg",
        "application/x-bittorrent": "torrent",
        "application/x-bzip2": "bz2",
        "application/x-debian-package": "deb",
        "application/x-gzip": "gz",
        "application/x-iso9660-image": "iso",
        "application/x-msdownload": "exe",
        "application/x-msi": "msi",
        "application/x-rar-compressed": "rar",
        "application/x-rpm": "rpm",
        "application/x-tar": "tar",
        "application/x-xz": "xz",
        "application/x-zip-compressed": "zip",
        "application/xhtml+xml": "xhtml",
        "application/xml": "xml",
        "application/yaml": "yaml",
        "application/zip": "zip",
        "application/zstd": "zst",
        "audio/flac": "flac",
        "audio/mp4": "m4a",
        "audio/mpeg": "mp3",
        "audio/ogg": "ogg",
        "audio/opus": "opus",
        "audio/wav": "wav",
        "audio/x-wav": "wav",
        "font/ttf": "ttf",
        "font/woff2": "woff2",
        "image/avif": "avif",
        "image/bmp": "bmp",
        "image/gif": "gif",
        "image/heic": "heic",
        "image/jpeg": "jpg",
        "image/png": "png",
        "image/svg+xml": "svg",
        "image/tiff": "tif",
        "image/vnd.microsoft.icon": "ico",
        "image/webp": "webp",
        "image/x-icon": "ico",
        "text/calendar": "ics",
        "text/css": "css",
        "text/csv": "csv",
        "text/html": "html",
        "text/javascript": "js",
        "text/markdown": "md",
        "text/plain": "txt",
        "text/vcard": "vcf",
        "text/xml": "xml",
        "video/mp4": "mp4",
        "video/mpeg": "mpg",
        "video/quicktime": "mov",
        "video/webm": "webm",
        "video/x-matroska": "mkv",
        "video/x-msvideo": "avi",
    ]
}
