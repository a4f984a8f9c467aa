import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, startTroupe, troupe } from "../e2e/troupe-process.ts";

/** Each step leaves a line when it is done; `c` fails or waits as long as a file says so. */
const CHAIN = `version: "1.0"
name: chain
pattern: dag
agents:
  - { id: sh, backend: command, command: ["sh", "-c", 'test ! -e "fail-$TROUPE_STEP" || exit 1; while test -e "hold-$TROUPE_STEP"; do sleep 0.05; done; echo "$TROUPE_STEP" >> done.txt; echo "did $TROUPE_STEP"'] }
steps:
  - { id: a, agent: sh }
  - { id: b, agent: sh, dependsOn: [a] }
  - { id: c, agent: sh, dependsOn: [b] }
  - { id: d, agent: sh, dependsOn: [c] }
`;

const MIDDLE = /^\S+ c +● started/m;

async function failedRun(): Promise<string> {
  const cwd = createProject({ "chain.yaml": CHAIN, "fail-c": "" });
  expect((await troupe(cwd, ["run", "chain.yaml"])).exitCode).toBe(1);
  rmSync(join(cwd, "fail-c"));
  return cwd;
}

function done(cwd: string): readonly string[] {
  return readFileSync(join(cwd, "done.txt"), "utf8").trim().split("\n");
}

test.each([
  ["rerun", ["rerun", "@last", "--failed"]],
  ["fork", ["fork", "@last", "--at", "c"]],
] as const)(
  "a %s whose process is killed goes on where it was and repeats nothing [ENG-15, ENG-2]",
  async (_, command) => {
    const cwd = await failedRun();
    expect(done(cwd)).toEqual(["a", "b"]);
    writeFileSync(join(cwd, "hold-c"), "");
    const killed = startTroupe(cwd, command);
    await killed.seen(MIDDLE);
    killed.kill("SIGKILL");
    await killed.ended;
    rmSync(join(cwd, "hold-c"));
    const resumed = await troupe(cwd, ["resume", "@last"]);
    expect(resumed.exitCode).toBe(0);
    const counts = ["a", "b", "d"].map((step) => done(cwd).filter((each) => each === step).length);
    expect(counts).toEqual([1, 1, 1]);
    expect(done(cwd)).toContain("c");
  },
);
