import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What every planted file holds; no file of the tests has it, wherever they lie. */
export const PLANTED = `planted-credential-${randomUUID()}`;

/** Files in which programs keep what opens other doors, as people have them in their homes. */
const FILES: readonly string[] = [
  ...[".ssh/id_ed25519", ".ssh/config", ".gnupg/private-keys-v1.d/a.key", ".netrc", ".authinfo"],
  ...[
    ".aws/credentials",
    ".aws/sso/cache/a.json",
    ".azure/accessTokens.json",
    ".boto",
    ".oci/config",
  ],
  ...[".config/gcloud/credentials.db", ".config/doctl/config.yaml", ".config/hcloud/cli.toml"],
  ...[
    ".docker/config.json",
    ".config/containers/auth.json",
    ".kube/config",
    ".config/helm/repositories.yaml",
  ],
  ...[".npmrc", ".yarnrc.yml", ".pypirc", ".config/pip/pip.conf", ".cargo/credentials.toml"],
  ...[".cargo/credentials", ".gem/credentials", ".bundle/config", ".m2/settings.xml"],
  ...[".gradle/gradle.properties", ".composer/auth.json", ".nuget/NuGet/NuGet.Config", ".condarc"],
  ...[".git-credentials", ".config/git/credentials", ".config/gh/hosts.yml", ".config/hub"],
  ...[".config/glab-cli/config.yml", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg"],
  ...[
    ".vault-token",
    ".config/op/config",
    ".config/Bitwarden CLI/data.json",
    ".password-store/a.gpg",
  ],
  ...[
    ".local/share/keyrings/login.keyring",
    ".config/rclone/rclone.conf",
    ".config/heroku/auth.json",
  ],
  ...[".terraform.d/credentials.tfrc.json", ".pulumi/credentials.json", ".fly/config.yml"],
  ...[".cache/huggingface/token", ".kaggle/kaggle.json", ".config/stripe/config.toml"],
  ...[".mozilla/firefox/a/logins.json", ".config/google-chrome/Default/Login Data"],
  ...[".config/chromium/Default/Cookies", ".thunderbird/a/logins.json", ".msmtprc"],
  ...[
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".local/share/fish/fish_history",
  ],
  ...[".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json"],
  ...[
    ".local/share/opencode/auth.json",
    ".config/github-copilot/hosts.json",
    ".config/goose/secrets.yaml",
  ],
  ...[".local/state/troupe/token", ".local/state/troupe/key", ".config/troupe/config.yaml"],
  // Those that nobody has heard of.
  ...[
    "notes/passwords.txt",
    ".config/some-new-tool/token",
    ".another-tool/session",
    "code/other-project/.env",
  ],
];

/** Plants all of them in a home; the absolute paths. */
export function plantCredentials(home: string): readonly string[] {
  return FILES.map((name) => {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${PLANTED} ${name}\n`, { mode: 0o600 });
    return file;
  });
}
