import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionRequest, SignIn } from "../../../contracts/backend.ts";
import { makeDirectory } from "../../../foundation/make-directory.ts";

/** Where Codex keeps its configuration, sessions and scratch files for one agent. */
export interface CodexHome {
  /** What the environment says of it. */
  readonly env: { readonly [name: string]: string };
  /** What the program has to write beside its working directory. */
  readonly writable: readonly string[];
  /** Removes what was only for this session. Idempotent. */
  remove(): Promise<void>;
}

// What of a private directory would configure the program. Nothing of Troupe is there: whatever is, the
// agent has put there, whose own commands may write below the project.
const CONFIGURATION = [
  ...["config.toml", "auth.json", ".env", "hooks.json", "rules", "agents", "plugins"],
  ...["AGENTS.md", "AGENTS.override.md"],
];

/**
 * Makes the directories of an agent. With a key all of them are private; with a login the program uses the
 * user's own, and only its scratch files are apart.
 */
export async function makeCodexHome(
  request: Pick<SessionRequest, "directory">,
  signIn: SignIn,
): Promise<CodexHome> {
  const { directory } = request;
  const root = directory ?? (await realpath(await mkdtemp(join(tmpdir(), "troupe-codex-"))));
  // Not above CODEX_HOME: below the directory for temporary files Codex makes none of its helpers.
  const temporary = join(root, "tmp");
  makeDirectory(temporary, 0o700);
  const home = signIn.by === "login" ? signIn.directory : join(root, "codex");
  if (signIn.by !== "login") await clear(home);
  return {
    env: { CODEX_HOME: home, TMPDIR: temporary },
    // Of a login the sandbox itself says what may be written.
    writable: signIn.by === "login" ? [temporary] : [home, temporary],
    remove: async () => {
      if (directory === undefined) await rm(root, { recursive: true, force: true });
    },
  };
}

async function clear(home: string): Promise<void> {
  makeDirectory(home, 0o700);
  const remove = (name: string) => rm(join(home, name), { recursive: true, force: true });
  await Promise.all(CONFIGURATION.map(remove));
}
