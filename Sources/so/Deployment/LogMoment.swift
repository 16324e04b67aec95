/// A moment as `--since` and `--until` take it.
enum LogMoment {
    /// Whether both podman and a cluster would read it.
    static func isValid(_ text: String) -> Bool { isTime(text) || isDuration(text) || isEpoch(text) }

    /// `2026-01-31`, `2026-01-31T12:00:00`, with a fraction and a zone where wanted.
    private static func isTime(_ text: String) -> Bool {
        text.wholeMatch(
            of: #/\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:\d{2})?/#) != nil
    }

    /// `1h30m`, `1.5h`.
    private static func isDuration(_ text: String) -> Bool {
        text.wholeMatch(of: #/(\d+(\.\d+)?(h|m|s|ms|us|µs|ns))+/#) != nil
    }

    private static func isEpoch(_ text: String) -> Bool { text.wholeMatch(of: #/\d+(\.\d+)?/#) != nil }
}
