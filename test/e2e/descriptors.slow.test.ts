import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject } from "./troupe-process.ts";

const BIN = join(import.meta.dirname, "../../bin/troupe.js");

/** Files that the one who started these tests left open for every program, besides the usual three. */
function inheritedCount(): number {
  const isHandedDown = (file: string) => {
    try {
      const [, flags = ""] = /^flags:\s*(\d+)/m.exec(readFileSync(file, "utf8")) ?? [];
      return (Number.parseInt(flags, 8) & 0o2000000) === 0;
    } catch {
      // It was that of reading the directory.
      return false;
    }
  };
  // Other systems do not tell.
  if (!existsSync("/proc/self/fdinfo")) return 0;
  return readdirSync("/proc/self/fdinfo").filter(
    (fd) => Number(fd) > 2 && isHandedDown(`/proc/self/fdinfo/${fd}`),
  ).length;
}

/** Runs a command line with at most so many open files, those not counted that are none of its own. */
async function troupeWithin(cwd: string, files: number, ...args: readonly string[]) {
  const child = spawn(
    "sh",
    ["-c", `ulimit -n ${files + inheritedCount()}; exec "$0" "$@"`, process.execPath, BIN, ...args],
    {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
  const [exitCode] = await once(child, "close");
  return { exitCode, out };
}

function teamOf(count: number): string {
  const agents = Array.from({ length: count }, (_, index) => ({
    id: `a${index}`,
    backend: "command",
    command: "sleep 0.1; echo hi",
  }));
  return JSON.stringify({ name: "many", pattern: "fan-out", agents });
}

const SHELLS = JSON.stringify({
  id: "shells",
  steps: [
    {
      id: "all",
      type: "parallel",
      steps: Array.from({ length: 30 }, (_, index) => ({
        id: `s${index}`,
        type: "shell",
        command: "sleep 0.1; echo hi",
      })),
    },
  ],
});

test.each([
  [64, "many.yaml", 40],
  [38, "many.yaml", 25],
  [64, "shells.yaml", 30],
])(
  "with %i open files %s waits for descriptors, says so once, and no step fails",
  async (files, file, count) => {
    const cwd = createProject({ "many.yaml": teamOf(count), "shells.yaml": SHELLS });
    const { exitCode, out } = await troupeWithin(cwd, files, "run", file, "go", "--json=all");
    expect([exitCode, exitCode === 0 ? "" : out]).toEqual([0, ""]);
    expect(
      out.split(`only ${files + inheritedCount()} files may be open here at once`),
    ).toHaveLength(2);
    expect(out).not.toMatch(/EMFILE|INTERNAL/);
    expect(out.match(/"type":"step-completed"/g)?.length).toBeGreaterThanOrEqual(count);
  },
);

test("with enough of them nothing waits and nothing is told", async () => {
  const cwd = createProject({ "many.yaml": teamOf(12) });
  const { exitCode, out } = await troupeWithin(cwd, 1024, "run", "many.yaml", "go", "--json=all");
  expect(exitCode).toBe(0);
  expect(out).not.toContain("may be open here");
});

test("where there are not enough for one program, that is said, and how to allow more", async () => {
  const cwd = createProject({ "many.yaml": teamOf(2) });
  const { exitCode, out } = await troupeWithin(cwd, 25, "run", "many.yaml", "go");
  expect(exitCode).not.toBe(0);
  expect(out).toMatch(/HOST_TOO_MANY_FILES[\s\S]*ulimit -n 1024/);
  expect(out).not.toContain("INTERNAL");
});
