import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAgentAbove } from "../../src/host/agent-above.ts";
import type { ProcessHost } from "../../src/host/host.ts";
import { isMark, showMark } from "../../src/host/kernel-mark.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { createTestHost, eventually, never } from "./survivors.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/tell-above.ts", import.meta.url));
const TELL = `${process.execPath} ${PROGRAM}`;

let host: ProcessHost;
let directory: string;
beforeAll(() => {
  host = createTestHost();
  directory = mkdtempSync(join(tmpdir(), "troupe-above-"));
});
afterAll(async () => {
  await host.close();
  rmSync(directory, { recursive: true });
});

/** What `command`, with FILE in it, writes about what stands above it, however it got away from its parents. */
async function told(command: string, name: string) {
  const file = join(directory, name);
  const hold = `${command.replace("FILE", file)}\nuntil [ -s ${file} ]; do sleep 0.02; done; grep locks /proc/self/limits`;
  const { stdout } = await host.run({ command: hold, cwd: "/", env: host.baseEnv({}) }, never);
  await eventually(
    () => existsSync(file),
    (exists) => exists,
  );
  return { above: JSON.parse(readFileSync(file, "utf8")), limit: /\d{15,}/.exec(stdout)?.[0] };
}

test.runIf(process.platform === "linux").each([
  ["a child", `${TELL} FILE`, "run_test"],
  ["one without its environment", `env -i ${TELL} FILE`, "run_test"],
  ["one with another run in its environment", `TROUPE_RUN=run_other ${TELL} FILE`, "run_test"],
  [
    "one without environment, session and parents",
    `env -i setsid sh -c 'env -i BEFORE=$$ setsid sh -c "while kill -0 \\$BEFORE; do sleep 0.02; done; ${TELL} FILE" &' &`,
    undefined,
  ],
])("%s of a program that Troupe started knows what it stands below", async (name, command, run) => {
  const { above, limit = "0" } = await told(command, name.replaceAll(" ", "-"));
  expect(isMark(BigInt(limit))).toBe(true);
  expect(above).toEqual({
    family: showMark(BigInt(limit)),
    ...(run === undefined ? {} : { run }),
  });
});

test("the environment alone is enough, and without anything there is nobody above", () => {
  const table = createProcessTable();
  const own = findAgentAbove(table);
  const file = join(directory, "by-environment");
  const env = { TROUPE_MARK: "abc", TROUPE_RUN: "run_told" };
  spawnSync(process.execPath, [PROGRAM, file], { env });
  const found = JSON.parse(readFileSync(file, "utf8"));
  // A mark of the kernel, where the tests themselves run below an agent, counts more than a variable.
  expect(found).toEqual(own ?? { family: "abc", run: "run_told" });
  spawnSync(process.execPath, [PROGRAM, file], { env: {} });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(own ?? null);
});

const LIMIT = "ulimit -w 5 2>/dev/null || ulimit -x 5 2>/dev/null || prlimit --pid $$ --locks=5";

test.runIf(process.platform === "linux").each([
  ["below a program", "told", {}],
  ["with the environment of another run", "told", { TROUPE_MARK: "abc", TROUPE_RUN: "run_other" }],
])(
  "a lowered limit %s is that of an unknown agent, whatever its environment says [SEC-9.limit]",
  (_name, name, env) => {
    const file = join(directory, name);
    spawnSync("/bin/sh", ["-c", `${LIMIT}; exec ${TELL} ${file}`], { env: { ...env } });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      family: "a program with a file-lock limit of 5",
      unknownLimit: "5",
    });
  },
);
