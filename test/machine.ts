import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findChromium } from "./e2e/browser.ts";

/** The official test suite of JSON Schema, as Debian's libtest-json-schema-acceptance-perl has it: nothing of it is copied. */
export const SCHEMA_SUITE =
  "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12";

/** What a test may need that is not on every machine, and how it is looked for. */
const PROBES = {
  bubblewrap: () =>
    runs("bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--", "/bin/true"),
  chromium: () => findChromium() !== undefined,
  prlimit: () => runs("prlimit", "--version"),
  // To give files to other users, and to become them.
  root: () => process.getuid?.() === 0,
  strace: canInject,
  tmux: () => runs("tmux", "-V"),
  "the test suite of JSON Schema": () => existsSync(SCHEMA_SUITE),
  "pid namespaces": () => runs("unshare", "--pid", "--fork", "--mount-proc", "true"),
  "the right to mount": () => runs("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"),
} as const satisfies { readonly [need: string]: () => boolean };

/** What only root has: the suites of an ordinary user do without, and vitest.root.config.ts runs these files as root. */
export const NEEDS_OF_ROOT = ["root", "pid namespaces", "the right to mount"] as const;

/** One thing that a test may need. */
export type Need = keyof typeof PROBES;

const known = new Map<Need, boolean>();

/**
 * Returns whether this machine has it, for `test.runIf`, and prints what is skipped for it. Throws where
 * TROUPE_MACHINE=whole says that nothing may be missing, but for what an ordinary user cannot have.
 */
export function has(need: Need): boolean {
  const found = known.get(need) ?? PROBES[need]();
  known.set(need, found);
  const isBearable = process.getuid?.() !== 0 && NEEDS_OF_ROOT.some((name) => name === need);
  if (!found && !isBearable && process.env["TROUPE_MACHINE"] === "whole")
    throw new Error(`${need} is missing, and TROUPE_MACHINE=whole`);
  if (!found) process.stderr.write(`SKIPPED: tests that need ${need}\n`);
  return found;
}

function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

/** Whether strace can trace processes here and inject faults into them. */
function canInject(): boolean {
  const inject = ["-qq", "-D", "-o", "/dev/null", "-e", "trace=unlink", "-e"];
  const probe = "require('node:fs').unlinkSync('/nowhere')";
  const args = [...inject, "inject=unlink:error=EIO:when=1", process.execPath, "-e", probe];
  const { stderr } = spawnSync("strace", args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  return typeof stderr === "string" && stderr.includes("EIO");
}
