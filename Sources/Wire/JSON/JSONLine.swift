/// A flat JSON object of texts on one line: what a log is made of.
public enum JSONLine {
    public static func text(_ members: [(String, String)]) -> String {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            for (name, value) in members {
                writer.foreignName(name)
                writer.string(value)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
