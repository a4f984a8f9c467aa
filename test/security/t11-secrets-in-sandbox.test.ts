import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTroupe } from "../e2e/troupe-process.ts";
import { has } from "../machine.ts";
import { PLANTED, plantCredentials } from "./planted-credentials.ts";
import { createVictim, type Victim } from "./victim.ts";

/** One agent in a sandbox that runs this text in a shell. */
function workflow(command: string, more: object = {}): string {
  const agent = { id: "one", backend: "command", isolation: "sandbox", command, ...more };
  const steps = [{ id: "s", agent: "one", prompt: "go" }];
  return JSON.stringify({ version: "1.0", name: "w", pattern: "dag", agents: [agent], steps });
}

/** What the agent printed, a file of the project. */
async function printed(victim: Victim, command: string): Promise<string> {
  writeFileSync(
    join(victim.project, "w.yaml"),
    workflow(`{ ${command}\n} > out.txt 2>/dev/null; true`),
  );
  const ended = await victim.troupe("run", "w.yaml");
  expect([ended.exitCode, ended.exitCode === 0 ? "" : ended.out + ended.err]).toEqual([0, ""]);
  return readFileSync(join(victim.project, "out.txt"), "utf8");
}

/** Her own configuration. */
function configure({ home }: Victim, text: string): void {
  const directory = join(home, ".troupe-state");
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(directory, "config.yaml"), text, { mode: 0o600 });
}

/** Every file below a directory with what it is and holds. */
function snapshot(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => {
      const path = join(directory, name);
      const facts = lstatSync(path);
      if (facts.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      return facts.isFile() ? `${name} ${facts.mode} ${readFileSync(path, "base64")}` : name;
    })
    .sort();
}

describe.runIf(has("bubblewrap"))("a sandboxed agent", () => {
  test("reads none of the credentials that lie in a home, known and unknown ones [SEC-5.home, T11]", async () => {
    const victim = createVictim();
    const files = plantCredentials(victim.home);
    expect(files.length).toBeGreaterThanOrEqual(48);
    const list = files.map((file) => `'${file}'`).join(" ");
    const out = await printed(
      victim,
      `cat ${list}; find ~ -type f; grep -rl ${PLANTED} /tmp /etc /var /home --exclude=w.yaml; echo end`,
    );
    expect(out).toBe("end\n");
  });

  test("reads none of them either where their directory is let in by name, or is that of a program [SEC-5.home, T11]", async () => {
    const victim = createVictim();
    const files = plantCredentials(victim.home);
    configure(victim, "sandbox: { read: ['~/.config', '~/.cargo', '~/code/other-project'] }\n");
    const list = files.map((file) => `'${file}'`).join(" ");
    const out = await printed(victim, `cat ${list}; echo end`);
    const named = [".config/some-new-tool/token", "code/other-project/.env"];
    expect(out).toBe([...named.map((name) => `${PLANTED} ${name}`), "end", ""].join("\n"));
  });

  test("sees neither sockets nor state of Troupe, nor the journals of other runs [SEC-3.sandbox, T11, T16]", async () => {
    const victim = createVictim();
    const quiet = JSON.stringify({
      ...{ version: "1.0", name: "q", pattern: "dag" },
      agents: [{ id: "two", backend: "command", command: "echo DONE" }],
      steps: [{ id: "s", agent: "two", prompt: "go" }],
    });
    writeFileSync(join(victim.project, "q.yaml"), quiet);
    expect((await victim.troupe("run", "q.yaml")).exitCode).toBe(0);
    const { XDG_RUNTIME_DIR: sockets = "" } = victim.env;
    const own = join(sockets, "planted.sock");
    const server = createServer((socket) => socket.end(PLANTED)).listen(own);
    onTestFinished(() => void server.close());
    const out = await printed(
      victim,
      [
        // Its own way in is all that it sees of the sockets.
        `find '${sockets}' -type s | grep -v "^$TROUPE_CONTEXT_SOCKET$"`,
        "find .troupe/runs -name 'journal*'; ls -d ~/.troupe-state ~/.local/state/troupe",
        `echo x >> .troupe/config.yaml && echo written; echo end`,
      ].join("\n"),
    );
    expect(out).toBe("end\n");
  });

  test("writes nothing that git, editors, shells or agents outside obey, whether it is there or not [SEC-5.git, T18]", async () => {
    const victim = createVictim({
      "a.txt": "a\n",
      ".vscode/tasks.json": "{}",
      ".envrc": "true\n",
      "nested/b.txt": "b\n",
    });
    const { project, home } = victim;
    const git = (cwd: string, ...args: readonly string[]) => {
      const env = { PATH: process.env["PATH"], HOME: home };
      const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
      return execFileSync("git", [...identity, ...args], { cwd, env, encoding: "utf8" });
    };
    for (const [directory, ...files] of [
      [join(project, "nested"), "b.txt"],
      [project, "a.txt", ".vscode"],
    ] as const) {
      git(directory, "init", "--quiet", "--initial-branch", "main");
      git(directory, "add", ...files);
      git(directory, "commit", "--quiet", "-m", "first");
    }
    const before = [".git", "nested/.git", ".vscode"].map((name) => snapshot(join(project, name)));
    const evil = "[core]\\n\\tfsmonitor = touch PWNED\\n";
    const out = await printed(
      victim,
      [
        "git log --format=%s; echo more >> a.txt; git diff --stat | tail -1; git -C nested status --short",
        ...[".git", "nested/.git"].flatMap((directory) => [
          `printf '${evil}' >> ${directory}/config; echo ../evil > ${directory}/commondir`,
          `echo 'touch PWNED' > ${directory}/hooks/pre-commit; mkdir -p ${directory}/modules/x`,
          `echo x > ${directory}/HEAD; rm -rf ${directory}; mv ${directory} ${directory}2`,
        ]),
        "cp -r .git evil; mv nested nested2; rm -rf .vscode; echo x > .vscode/tasks.json; echo x > .envrc",
        ...[".mcp.json", "opencode.json", ".vimrc", ".gitmodules"].map(
          (name) => `echo x > ${name}`,
        ),
        ...[
          ".husky",
          ".idea",
          ".claude",
          ".codex",
          ".gemini",
          ".cursor",
          ".devcontainer",
          ".zed",
        ].map((name) => `mkdir -p ${name}; echo x > ${name}/settings.json; ln -s /tmp/x ${name}`),
        "git commit -qam evil; git add -A; echo end",
      ].join("\n"),
    );
    expect(out).toBe("first\n 1 file changed, 1 insertion(+)\nend\n");
    expect([".git", "nested/.git", ".vscode"].map((name) => snapshot(join(project, name)))).toEqual(
      before,
    );
    expect(readFileSync(join(project, ".envrc"), "utf8")).toBe("true\n");
    expect(readdirSync(project).sort()).toEqual([
      ".envrc",
      ".git",
      ".troupe",
      ".vscode",
      "a.txt",
      "evil",
      "nested",
      "out.txt",
      "w.yaml",
    ]);
    git(project, "status");
    git(join(project, "nested"), "status");
    expect(existsSync(join(project, "PWNED"))).toBe(false);
  });

  test("of a linked worktree works with git and writes nothing of it either [SEC-5.git]", async () => {
    const victim = createVictim({ "main/a.txt": "a\n" });
    const [main, tree] = [join(victim.project, "main"), join(victim.home, "tree")];
    const env = { PATH: process.env["PATH"], HOME: victim.home };
    const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    for (const args of [
      ["init", "--quiet"],
      ["add", "."],
      ["commit", "--quiet", "-m", "first"],
      ["worktree", "add", "--quiet", tree],
    ])
      execFileSync("git", [...identity, ...args], { cwd: main, env });
    const before = snapshot(join(main, ".git"));
    const command = `{ git log --format=%s; git status --short; echo x > .git; echo x > ${main}/.git/config; echo x > ${main}/a.txt; } > out.txt 2>/dev/null; true`;
    writeFileSync(join(tree, "w.yaml"), workflow(command));
    const ended = await startTroupe(tree, ["run", "w.yaml"], victim.env).ended;
    expect([ended.exitCode, readFileSync(join(tree, "out.txt"), "utf8")]).toEqual([
      0,
      "first\n?? out.txt\n?? w.yaml\n",
    ]);
    expect(snapshot(join(main, ".git"))).toEqual(before);
    expect(readFileSync(join(main, "a.txt"), "utf8")).toBe("a\n");
  });

  test.each([
    ["opencode", "the program of backend opencode is not known to work in one"],
    ["cursor", "the program of backend cursor is not known to work in one"],
    ["aider", "the program of backend aider is not known to work in one"],
    ["goose", "the program of backend goose is not known to work in one"],
  ])("of %s is refused by name before anything starts [SEC-5.refused]", async (backend, reason) => {
    const victim = createVictim({ "w.yaml": workflow("true", { backend, command: undefined }) });
    const program = join(victim.home, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    configure(victim, `backends: { ${backend}: { command: '${program}' } }\n`);
    const ended = await victim.troupe("run", "w.yaml");
    expect(ended.exitCode).not.toBe(0);
    expect(ended.out + ended.err).toContain(reason);
  });

  test.each([
    {
      ...{ backend: "claude", login: ".claude", token: ".credentials.json" },
      ...{ sessions: "projects", scratch: "shell-snapshots" },
    },
    {
      ...{ backend: "codex", login: ".codex", token: "auth.json" },
      ...{ sessions: "sessions", scratch: "shell_snapshots" },
    },
  ] as const)(
    "of $backend writes only tokens and sessions of the user's login, and sees no snapshots of others [SEC-5.login, T11]",
    async ({ backend, login, token, sessions, scratch }) => {
      const victim = createVictim({ "w.yaml": workflow("true", { backend, command: undefined }) });
      const directory = join(victim.home, login);
      for (const each of [sessions, scratch, "hooks"])
        mkdirSync(join(directory, each), { recursive: true });
      const kept = ["settings.json", "config.toml", "CLAUDE.md", "hooks/start.sh"];
      for (const name of [token, ...kept, `${scratch}/theirs.sh`])
        writeFileSync(join(directory, name), `${PLANTED}\n`);
      const program = join(victim.home, "program");
      const lines = [
        `cd ${directory}; echo new > ${token}; echo new > ${sessions}/new`,
        `cat ${scratch}/theirs.sh > ${sessions}/stolen; echo new > ${scratch}/new.sh`,
        ...kept.map((name) => `echo new > ${name}; rm -f ${name}; mv ${token} ${name}`),
        `echo new > hooks/new.sh; mkdir skills; rm -rf ${token}; mv ${directory} ${directory}2`,
      ];
      writeFileSync(program, `#!/bin/sh\n{ ${lines.join("\n")}\n} 2>/dev/null\n`, { mode: 0o755 });
      configure(victim, `backends: { ${backend}: { command: '${program}' } }\n`);
      await victim.troupe("run", "w.yaml");
      const read = (name: string) => readFileSync(join(directory, name), "utf8");
      expect([token, `${sessions}/new`, `${sessions}/stolen`].map(read)).toEqual([
        "new\n",
        "new\n",
        "",
      ]);
      expect(kept.map(read)).toEqual(kept.map(() => `${PLANTED}\n`));
      expect(readdirSync(join(directory, scratch))).toEqual(["theirs.sh"]);
      expect([
        readdirSync(join(directory, "hooks")),
        existsSync(join(directory, "skills")),
      ]).toEqual([["start.sh"], false]);
    },
  );

  test("whose directory holds the home, or a link in place of what is obeyed, is refused [SEC-5.home, T8]", async () => {
    const victim = createVictim();
    writeFileSync(join(victim.home, "w.yaml"), workflow("echo DONE"));
    const inHome = await startTroupe(victim.home, ["run", "w.yaml"], victim.env).ended;
    expect(inHome.exitCode).not.toBe(0);
    expect(inHome.out + inHome.err).toContain("holds the home directory");
    symlinkSync("/tmp", join(victim.project, ".claude"));
    writeFileSync(join(victim.project, "w.yaml"), workflow("echo DONE"));
    const linked = await victim.troupe("run", "w.yaml");
    expect(linked.exitCode).not.toBe(0);
    expect(linked.out + linked.err).toContain("[AGENT_SANDBOX_IMPOSSIBLE]");
  });

  test("gets no more from a project's configuration that nobody trusts [SEC-1, T18]", async () => {
    const victim = createVictim({
      ".troupe/config.yaml": "sandbox: { read: ['~/'], write: ['~/'] }\n",
    });
    plantCredentials(victim.home);
    const out = await printed(victim, "cat ~/notes/passwords.txt; echo x > ~/made; echo end");
    expect([out, existsSync(join(victim.home, "made"))]).toEqual(["end\n", false]);
  });
});
