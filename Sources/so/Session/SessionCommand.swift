import ArgumentParser

/// `so session`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Run coding agents on clones of a project, each in pods and on a branch of its own.",
        discussion: """
            In a git project:

              so session                          # an agent at this terminal; Ctrl-] then d detaches from it
              so session --prompt "fix the tests" # without a terminal; prints what the agent says and does
              so session ls

            `so session start --help` has the options of a new session.
            """,
        subcommands: [
            SessionStart.self, SessionList.self, SessionAttach.self, SessionShell.self, SessionExec.self,
            SessionLogs.self, SessionDiff.self, SessionURL.self, SessionForward.self, SessionStatusCommand.self,
            SessionCopy.self,
            SessionSSHConfig.self, SessionSSHProxy.self,
            SessionStop.self, SessionResume.self, SessionFinish.self, SessionCleanup.self,
        ], defaultSubcommand: SessionStart.self)
}
