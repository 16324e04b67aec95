/// The unit by which systemd runs the server: https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
package struct SystemdUnit: Sendable {
    package var executable: String
    package var configurationFile: String

    package init(executable: String, configurationFile: String) {
        self.executable = executable
        self.configurationFile = configurationFile
    }

    /// Agents outlive the server: only its own process is ended, and its pods stay in the control group that it was delegated.
    package var text: String {
        """
        # As the user that is to run agents:
        #   so orchestrator unit > ~/.config/systemd/user/so-orchestrator.service
        #   loginctl enable-linger && systemctl --user enable --now so-orchestrator
        [Unit]
        Description=so orchestrator
        Wants=network-online.target
        After=network-online.target

        [Service]
        ExecStart=\(Self.quoted(executable)) orchestrator serve --config \(Self.quoted(configurationFile))
        Restart=on-failure
        SuccessExitStatus=130
        RestartSec=2
        TimeoutStopSec=60
        KillMode=process
        Delegate=yes
        UMask=0077

        [Install]
        WantedBy=default.target

        """
    }

    /// `%` and `$` mean something in a unit, a quote ends a word.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
            .replacing("$", with: "$$")
        return "\"\(escaped)\""
    }
}
