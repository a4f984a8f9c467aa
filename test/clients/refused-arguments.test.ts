import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLAUDE_REFUSED } from "../../src/agents/backends/claude/claude-refused.ts";
import { CODEX_REFUSED } from "../../src/agents/backends/codex/codex-refused.ts";
import { GEMINI_REFUSED } from "../../src/agents/backends/gemini/gemini-refused.ts";
import { refusedIn } from "../../src/agents/backends/parts/refused-arguments.ts";
import { installedClient } from "./installed-client.ts";

// A command that asks no model, and what the program says of what it does not know.
const PROBES = {
  claude: { table: CLAUDE_REFUSED, command: ["mcp", "list"], unknown: /unknown option/ },
  codex: { table: CODEX_REFUSED, command: ["features", "list"], unknown: /unexpected argument/ },
  gemini: { table: GEMINI_REFUSED, command: ["--list-extensions"], unknown: /Unknown argument/ },
};

test.for([
  ["claude", "-cp", true],
  ["claude", "--permission-mode=plan", true],
  ["claude", "--enable-auto-mode", true],
  ["claude", "--perm=plan", false],
  ["claude", "--permissionMode=plan", false],
  ["codex", "--yolo", true],
  ["codex", "-anever", true],
  ["codex", "-a=never", true],
  ["codex", "-sdanger-full-access", true],
  ["codex", "-capproval_policy=never", true],
  ["codex", "-c=sandbox_mode=danger-full-access", true],
  ["codex", "--yol", false],
  ["gemini", "-dy", true],
  ["gemini", "--approvalMode=yolo", true],
  ["gemini", "--appr=yolo", false],
] as const)(
  "%s itself takes `%s`: %s; what it takes is refused [AGT-10, T18]",
  ([name, argument, isTaken], context) => {
    const { table, command, unknown } = PROBES[name];
    const home = mkdtempSync(join(tmpdir(), "troupe-parser-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const [program, ...first] = installedClient(name, context);
    const options = { cwd: home, env: { PATH: process.env["PATH"], HOME: home } } as const;
    const { stdout, stderr } = spawnSync(program, [...first, argument, ...command], {
      ...options,
      encoding: "utf8",
    });
    expect(!unknown.test(stdout + stderr)).toBe(isTaken);
    if (isTaken) expect(refusedIn([argument], table)?.text).toBe(argument);
  },
);
