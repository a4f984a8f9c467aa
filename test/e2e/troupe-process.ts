import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "../../bin/troupe.js");

/** How a process ended and what it said. */
export interface Ended {
  /** As a shell sees it: 128 + number for a signal is not used here, `null` says that a signal ended it. */
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** A real `troupe`, in a process of its own. */
export interface TroupeProcess {
  readonly pid: number;
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Ended>;
  /** Resolves as soon as standard output holds a match; rejects when the process ends before. */
  readonly seen: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Starts `troupe`; what the test does not end is killed after it. */
export function startTroupe(
  cwd: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): TroupeProcess {
  return startTroupeIn([], cwd, { args, env });
}

/** Starts `troupe` by another program, such as `unshare`. */
export function startTroupeIn(
  wrapper: readonly string[],
  cwd: string,
  {
    args,
    env,
  }: { readonly args: readonly string[]; readonly env: { readonly [name: string]: string } },
): TroupeProcess {
  const [program = "", ...rest] = [...wrapper, process.execPath, bin, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  const lookers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    texts.out += chunk;
    for (const look of [...lookers]) look();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    texts.err += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (exitCode) => resolve({ exitCode, ...texts }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const seen = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(texts.out);
        if (match === null) return;
        lookers.delete(look);
        resolve(match);
      };
      lookers.add(look);
      look();
      void ended.then(() => reject(new Error(`ended before ${pattern}: ${texts.out}${texts.err}`)));
    });
  return {
    pid: child.pid ?? 0,
    child,
    ended,
    seen,
    kill: (signal) => void child.kill(signal),
  };
}

/** Runs one command line to its end. */
export function troupe(
  cwd: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<Ended> {
  return startTroupe(cwd, args, env).ended;
}

/** An empty project with the files given; it goes with the test. */
export function createProject(files: { readonly [path: string]: string } = {}): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-e2e-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".troupe"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
