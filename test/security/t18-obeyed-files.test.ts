import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { has } from "../machine.ts";
import { createVictim, type Victim } from "./victim.ts";

/** What git obeys by its configuration, as `config` lines, with the files in the tree that this makes dangerous. */
const BY_CONFIG: readonly {
  readonly name: string;
  readonly config: readonly (readonly [key: string, value: string])[];
  readonly files: readonly string[];
}[] = [
  {
    name: "hooks",
    config: [["core.hooksPath", "tools/hooks"]],
    files: ["tools/hooks/pre-commit", "tools/hooks/new"],
  },
  { name: "hooks at the root", config: [["core.hooksPath", "."]], files: ["pre-commit"] },
  {
    name: "includes",
    config: [
      ["include.path", "../.gitconfig"],
      ["includeIf.onbranch:other.path", "../tools/other.config"],
    ],
    files: [".gitconfig", "tools/other.config", "tools/further.config"],
  },
  {
    name: "filters and monitors",
    config: [
      ["filter.f.clean", "tools/clean.sh %f"],
      ["filter.f.smudge", "sh tools/smudge.sh"],
      ["filter.f.process", "./tools/missing.sh"],
      ["core.fsmonitor", "$PWD/tools/monitor.sh"],
    ],
    files: ["tools/clean.sh", "tools/smudge.sh", "tools/missing.sh", "tools/monitor.sh"],
  },
  {
    name: "drivers, helpers, editors and aliases",
    config: [
      ["diff.x.textconv", "tools/diff.sh"],
      ["merge.x.driver", "tools/merge.sh %O"],
      ["credential.https://h.helper", "!f() { sh tools/helper.sh; }; f"],
      ["core.sshCommand", "./tools/ssh.sh"],
      ["core.editor", "python3 tools/editor.py"],
      ["alias.x", "!tools/alias.sh"],
      ["some.future.key", "tools/future.sh"],
    ],
    files: ["diff.sh", "merge.sh", "helper.sh", "ssh.sh", "editor.py", "alias.sh", "future.sh"].map(
      (name) => `tools/${name}`,
    ),
  },
  {
    name: "paths",
    config: [
      ["core.attributesFile", "tools/attributes"],
      ["core.excludesFile", "tools/excludes"],
    ],
    files: ["tools/attributes", "tools/excludes"],
  },
];

const ABSENT = new Set(["tools/hooks/new", "tools/missing.sh", "pre-commit"]);

async function attack(victim: Victim, command: string) {
  const agent = { id: "one", backend: "command", isolation: "sandbox", command };
  const steps = [{ id: "s", agent: "one", prompt: "go" }];
  const workflow = { version: "1.0", name: "w", pattern: "dag", agents: [agent], steps };
  writeFileSync(join(victim.project, "w.yaml"), JSON.stringify(workflow));
  return victim.troupe("run", "w.yaml");
}

describe.runIf(has("bubblewrap"))("a sandboxed agent", () => {
  test("writes none of the files that git's configuration names, whatever it names them for [SEC-8.git, T18]", async () => {
    const all = BY_CONFIG.flatMap(({ files }) => files);
    const there = all.filter((file) => !ABSENT.has(file));
    const further = "[include]\n\tpath = tools/further.config\n";
    const victim = createVictim({
      ...Object.fromEntries(there.map((file) => [file, ""])),
      ".gitconfig": further,
      "tools/work.txt": "",
    });
    const { project, home, env } = victim;
    const git = (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: project, env: { ...process.env, ...env } });
    git("init", "-q");
    for (const { config } of BY_CONFIG.filter(({ name }) => name !== "hooks at the root"))
      for (const [key, value] of config) git("config", key, value);
    // Of her own, where the other one does not count.
    git("config", "--file", join(home, ".gitconfig"), "core.hooksPath", ".");
    const ended = await attack(
      victim,
      [
        ...all.map((file) => `(echo PWNED >> ${file}) 2>/dev/null`),
        "mv tools tools2 2>/dev/null; mv tools/hooks h 2>/dev/null; rm -f tools/*.sh 2>/dev/null",
        "echo fine >> tools/work.txt; echo DONE",
      ].join("; "),
    );
    expect([ended.exitCode, ended.exitCode === 0 ? "" : ended.out + ended.err]).toEqual([0, ""]);
    const read = (file: string) =>
      existsSync(join(project, file)) ? readFileSync(join(project, file), "utf8") : "";
    expect(all.filter((file) => read(file).includes("PWNED"))).toEqual([]);
    expect(there.filter((file) => !existsSync(join(project, file)))).toEqual([]);
    expect(read("tools/work.txt")).toBe("fine\n");
  });

  test("writes no nested file that tools obey, and one in a new directory fails its turn [SEC-8.nested, T18]", async () => {
    const nested = ["pkg/.claude/settings.json", "pkg/a/.envrc", "pkg/.lefthook.yml"];
    const victim = createVictim({
      ...Object.fromEntries(nested.map((file) => [file, "x\n"])),
      "pkg/b.txt": "",
    });
    const ended = await attack(
      victim,
      [
        ...nested.map((file) => `(echo PWNED >> ${file}) 2>/dev/null`),
        "echo b > pkg/b.txt; mkdir pkg/new; echo PWNED > pkg/new/.envrc; echo DONE",
      ].join("; "),
    );
    expect(ended.exitCode).toBe(1);
    expect(ended.out + ended.err).toContain("pkg/new/.envrc (obeyed by programs outside)");
    const read = (file: string) => readFileSync(join(victim.project, file), "utf8");
    expect(nested.map(read)).toEqual(nested.map(() => "x\n"));
    expect(read("pkg/b.txt")).toBe("b\n");
  });
});
