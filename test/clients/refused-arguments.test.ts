import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLAUDE } from "../../src/agents/backends/claude/claude-descriptor.ts";
import { CODEX } from "../../src/agents/backends/codex/codex-descriptor.ts";
import { GEMINI } from "../../src/agents/backends/gemini/gemini-descriptor.ts";
import { OPENCODE } from "../../src/agents/backends/opencode/opencode-descriptor.ts";
import { refusedIn } from "../../src/agents/backends/parts/refused-arguments.ts";
import { installedClient } from "./installed-client.ts";

// A command line that asks no model, and what the program says of what it does not know.
const PROBES = {
  claude: {
    table: CLAUDE.refuses,
    line: (argument: string) => [argument, "mcp", "list"],
    unknown: /unknown option/,
  },
  codex: {
    table: CODEX.refuses,
    line: (argument: string) => [argument, "features", "list"],
    unknown: /unexpected argument/,
  },
  gemini: {
    table: GEMINI.refuses,
    line: (argument: string) => [argument, "--list-extensions"],
    unknown: /Unknown argument/,
  },
  opencode: {
    table: OPENCODE.refuses,
    line: (argument: string) => ["acp", argument],
    // It shows its options instead.
    unknown: /--hostname +hostname to listen on/,
  },
};

test.for([
  ["claude", "-cp", "refused"],
  ["claude", "--permission-mode=plan", "refused"],
  ["claude", "--enable-auto-mode", "refused"],
  ["claude", "--verbose", "allowed"],
  ["claude", "--model=some-model", "allowed"],
  ["claude", "--perm=plan", "unknown"],
  ["claude", "--permissionMode=plan", "unknown"],
  ["codex", "--yolo", "refused"],
  ["codex", "-anever", "refused"],
  ["codex", "-a=never", "refused"],
  ["codex", "-sdanger-full-access", "refused"],
  ["codex", "-capproval_policy=never", "refused"],
  ["codex", "-c=sandbox_mode=danger-full-access", "refused"],
  ["codex", "-cmodel_verbosity=low", "allowed"],
  ["codex", "-msome-model", "allowed"],
  ["codex", "--yol", "unknown"],
  ["gemini", "-dy", "refused"],
  ["gemini", "--approvalMode=yolo", "refused"],
  ["gemini", "--debug", "allowed"],
  ["gemini", "--appr=yolo", "unknown"],
  ["opencode", "--port=0", "refused"],
  ["opencode", "--cwd=/", "refused"],
  ["opencode", "--mdns", "refused"],
  ["opencode", "--mdnsDomain=x.local", "refused"],
  ["opencode", "--pure", "allowed"],
  ["opencode", "--log-level=ERROR", "allowed"],
  ["opencode", "--por=0", "unknown"],
] as const)(
  "%s and `%s`: %s, as the program itself reads it [AGT-10, T18]",
  ([name, argument, judgement], context) => {
    const { table, line, unknown } = PROBES[name];
    const home = mkdtempSync(join(tmpdir(), "troupe-parser-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const [program, ...first] = installedClient(name, context);
    const { stdout, stderr, status } = spawnSync(program, [...first, ...line(argument)], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home },
      input: "",
      timeout: 60_000,
      encoding: "utf8",
    });
    expect(status).not.toBeNull();
    expect(unknown.test(stdout + stderr) ? "unknown" : "taken").toBe(
      judgement === "unknown" ? "unknown" : "taken",
    );
    if (judgement === "refused") expect(refusedIn([argument], table)?.text).toBe(argument);
    if (judgement === "allowed") expect(refusedIn([argument], table)).toBeUndefined();
  },
);
