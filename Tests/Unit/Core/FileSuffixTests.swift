import Core
import HTTPFields
import Testing

@Suite struct FileSuffixTests {
    @Test(
        arguments: [
            ("a.iso", .file), ("A.ZIP", .file), ("a.tar.gz", .file), ("file.bin", .file), ("a.7z", .file),
            ("index.html", .page), ("a.HTM", .page), ("get.php", .page), ("a.aspx", .page), ("a.xhtml", .page),
            ("download", nil), ("release-1.2", nil), ("john.smith", nil), (".zip", nil), ("a.", nil), ("", nil),
        ] as [(String, FileSuffix.Kind?)]
    )
    func aSuffixSaysWhetherTheFileIsAPage(_ name: String, kind: FileSuffix.Kind?) {
        #expect(FileSuffix.kind(ofName: name) == kind)
    }

    @Test(
        arguments: [
            ("application/zip", "zip"), ("Application/PDF; x=y", "pdf"), ("image/jpeg", "jpg"), ("text/plain", "txt"),
            ("text/html; charset=utf-8", "html"), ("video/mp4", "mp4"), ("application/gzip", "gz"),
            ("application/x-iso9660-image", "iso"), ("application/octet-stream", nil), ("a/b", nil),
        ] as [(String, String?)]
    )
    func aTypeHasItsUsualSuffix(_ type: String, suffix: String?) throws {
        #expect(FileSuffix.suffix(of: try #require(MediaType(type))) == suffix)
    }
}
