/**
 * Places below a home in which programs keep what opens other doors. Homes are not seen in a sandbox at all; these
 * stay hidden in what is let in by name, and no directory that has one in it counts as a program's own.
 */
export const CREDENTIAL_PLACES: readonly string[] = [
  ...[
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
  ],
  ...[".netrc", ".authinfo", ".authinfo.gpg", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg"],
  ...[
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
  ],
  ...[".aws", ".azure", ".config/gcloud", ".boto", ".oci", ".config/doctl", ".config/hcloud"],
  ...[".docker", ".config/containers", ".kube", ".config/helm", ".terraform.d", ".terraformrc"],
  ...[".vault-token", ".config/op", ".config/1Password", ".config/Bitwarden CLI", ".config/sops"],
  ...[".config/rclone", ".config/heroku", ".fly", ".config/flyctl", ".pulumi", ".config/wrangler"],
  ...[".npmrc", ".yarnrc.yml", ".config/yarn", ".bunfig.toml", ".pypirc", ".config/pip", ".pip"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config"],
  ...[".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".ivy2"],
  ...[".composer/auth.json", ".config/composer/auth.json", ".nuget", ".config/NuGet", ".condarc"],
  ...[
    ".huggingface",
    ".cache/huggingface/token",
    ".config/huggingface",
    ".kaggle",
    ".config/stripe",
  ],
  ...[
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/microsoft-edge",
  ],
  ...[
    ".config/BraveSoftware",
    ".config/vivaldi",
    ".config/opera",
    ".config/Signal",
    ".config/Slack",
  ],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"],
  ...[".mysql_history", ".sqlite_history", ".rediscli_history", ".local/share/fish", ".lesshst"],
  ...[".config/troupe", ".local/state/troupe", ".claude", ".claude.json", ".codex", ".gemini"],
  ...[".cursor", ".config/cursor", ".local/share/opencode", ".config/goose", ".local/share/goose"],
  ...[".config/github-copilot", ".copilot", ".config/aider", ".aider.conf.yml", ".continue"],
  ...[".config/weechat", ".config/mutt", ".msmtprc", ".offlineimaprc", ".config/syncthing"],
];
