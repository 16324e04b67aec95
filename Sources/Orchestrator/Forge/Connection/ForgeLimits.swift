import FoundationEssentials

/// What a forge allows us: pauses that it asked for, and the distance between two writes.
actor ForgeLimits {
    /// The least time between two requests that change something.
    private let writeInterval: Duration
    private var pausedUntil: ContinuousClock.Instant?
    private var nextWrite: ContinuousClock.Instant?
    /// Grows with every refusal that names no time.
    private var strikes = 0

    /// The longest pause that a request waits for; a longer one is an error that says when it ends.
    static let patience = Duration.seconds(120)

    init(writeInterval: Duration) { self.writeInterval = writeInterval }

    /// Waits until a request may be sent.
    func enter(isWrite: Bool, to purpose: String) async throws {
        while let wait = waiting(isWrite: isWrite) {
            guard wait <= Self.patience else {
                throw OrchestratorError(
                    .unavailable, "cannot \(purpose)",
                    cause: "the forge's limit is used up for \(wait.components.seconds) s more",
                    hint: "it is tried again later")
            }
            try await Task.sleep(for: wait)
        }
        if isWrite { nextWrite = ContinuousClock.now.advanced(by: writeInterval) }
    }

    private func waiting(isWrite: Bool) -> Duration? {
        let now = ContinuousClock.now
        let ends = [pausedUntil, isWrite ? nextWrite : nil].compactMap { $0 }.filter { $0 > now }
        return ends.max().map { now.duration(to: $0) }
    }

    /// Reads what an answer says of limits; whether it was refused for one.
    func note(_ response: ForgeResponse, now: Date = Date()) -> Bool {
        let headers = response.headers
        let remaining = (headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"]).flatMap { Int($0) }
        let reset = (headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]).flatMap { Double($0) }
        let isRefused = isLimit(response, remaining: remaining)
        if let retry = headers["retry-after"].flatMap({ Int($0) }), isRefused || response.status == 503 {
            pause(.seconds(max(0, min(retry, 86_400))))
        } else if remaining == 0, let reset {
            let seconds = reset - now.timeIntervalSince1970
            pause(.seconds(max(0, min(seconds, 86_400)) + 1))
        } else if isRefused {
            pause(.seconds(60 << min(strikes, 4)))
        }
        strikes = isRefused ? strikes + 1 : 0
        return isRefused
    }

    /// 429; or 403 with one of the headers that a limit has and a missing permission has not, or whose body is the one that GitHub documents for a
    /// secondary limit, which need not have any.
    private func isLimit(_ response: ForgeResponse, remaining: Int?) -> Bool {
        response.status == 429
            || response.status == 403
                && (response.headers["retry-after"] != nil || remaining == 0 || isSecondary(response))
    }

    private func isSecondary(_ response: ForgeResponse) -> Bool {
        struct Refusal: Decodable {
            var message: String?
            var documentationUrl: String?
        }
        guard let refusal = try? response.decoded(Refusal.self, for: "") else { return false }
        return refusal.documentationUrl?.hasSuffix("secondary-rate-limits") ?? false
            || refusal.message?.hasPrefix("You have exceeded a secondary rate limit") ?? false
    }

    private func pause(_ time: Duration) {
        let end = ContinuousClock.now.advanced(by: time)
        pausedUntil = max(pausedUntil ?? end, end)
    }
}
