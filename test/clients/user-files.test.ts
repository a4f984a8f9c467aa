import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { createLoneUser, type LoneUser } from "./lone-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

const TIMEOUT_MS = 120_000;
const WORKS = scriptText({ calls: [{ shell: "echo seen" }] }, { text: "DONE: it said $RESULT" });

/** Fills the home with what all clients keep there; none of it may start anything. */
function writeUserFiles({ home, root }: LoneUser): void {
  const server = { command: "touch", args: [join(root, "user-server-started")] };
  const files: { readonly [path: string]: string } = {
    ".claude/CLAUDE.md": "Answer in verse.\n",
    ".claude/settings.json": JSON.stringify({ model: "opus", permissions: { deny: ["Bash"] } }),
    ".claude/agents/mine.md": "---\nname: mine\ndescription: mine\n---\nHelp me.\n",
    ".claude.json": JSON.stringify({ numStartups: 7, mcpServers: { mine: server } }),
    ".codex/config.toml": 'model_reasoning_effort = "low"\n',
    ".codex/AGENTS.md": "Answer in verse.\n",
    ".gemini/settings.json": JSON.stringify({ mcpServers: { mine: server } }),
    ".gemini/GEMINI.md": "Answer in verse.\n",
    ".config/opencode/opencode.json": JSON.stringify({ theme: "system" }),
    ".gitconfig": "[user]\n\tname = Example\n\temail = example@localhost\n",
    ".npmrc": "fund=false\n",
    ".profile": "# mine\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

/** Every file with its content, mode and time; directories by their names. */
function takeSnapshot(home: string): ReadonlyMap<string, string> {
  const entries = readdirSync(home, { withFileTypes: true, recursive: true });
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const { mode, mtimeMs } = lstatSync(file);
      const content = entry.isFile()
        ? `${createHash("sha256").update(readFileSync(file)).digest("hex")} ${mode} ${mtimeMs}`
        : "";
      return [relative(home, file), content];
    }),
  );
}

/** What is new in a home or not as it was, by path. */
function changesIn({ home }: LoneUser, before: ReadonlyMap<string, string>): readonly string[] {
  const after = takeSnapshot(home);
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path)).toSorted();
}

async function work(user: LoneUser): Promise<readonly string[]> {
  writeUserFiles(user);
  const before = takeSnapshot(user.home);
  const { exitCode, out } = await user.type(["run", "work.yaml", WORKS, "--json"]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringContaining("seen") });
  expect(readdirSync(user.root)).not.toContain("user-server-started");
  return changesIn(user, before);
}

/** The one thing that is kept there all the same: its log of servers, which nothing but another cache moves. */
const CLAUDE_LOGS = /^\.cache(\/claude-cli-nodejs(\/|$)|$)/;

const clients: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

test.for(clients)(
  "%s with a key changes no file of its user, keeps nothing in the home and starts nothing that is configured there [AGT-14, MCP-5]",
  { timeout: TIMEOUT_MS },
  async (client, context) => {
    const changes = await work(await createLoneUser(client, context));
    const own = client === "claude" ? CLAUDE_LOGS : /^$/;
    expect(changes.filter((path) => !own.test(path))).toEqual([]);
  },
);

/** With a login of the user, what a client itself writes into its own state there. */
const OWN_STATE: readonly (readonly [ClientName, readonly RegExp[]])[] = [
  [
    "claude",
    [
      CLAUDE_LOGS,
      // Counts its starts, and remembers the project.
      /^\.claude\.json$/,
      /^\.claude\/(backups|plugins|projects|session-env|sessions|shell-snapshots)(\/|$)/,
    ],
  ],
  [
    "codex",
    [
      /^\.codex\/(sessions|skills|thread-writer-locks|tmp)(\/|$)/,
      /^\.codex\/(goals|logs|memories|queue|state|thread_history)_\d+\.sqlite(-shm|-wal)?$/,
      /^\.codex\/(\.sandbox_migration|installation_id)$/,
    ],
  ],
  ["opencode", [/^\.local\/share\/opencode\/(log|repos|bin|snapshot)(\/|$)/]],
];

test.for(OWN_STATE)(
  "%s with a login of its user writes its own state there, changes no file of the user, and Troupe adds nothing [AGT-14, MCP-5]",
  { timeout: TIMEOUT_MS },
  async ([client, ownState], context) => {
    const changes = await work(await createLoneUser(client, context, { signedInBy: "login" }));
    expect(changes.filter((path) => !ownState.some((own) => own.test(path)))).toEqual([]);
  },
);
