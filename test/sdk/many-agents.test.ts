import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fanOut } from "../../src/index.ts";

const COUNT = 100;

function project(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-many-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, ".troupe"));
  return directory;
}

/** Agents that go on once so many of them work at the same time. */
function agentsThatMeet(count: number) {
  const met = Promise.withResolvers<void>();
  let working = 0;
  return Array.from({ length: COUNT }, (_, index) => ({
    name: `worker-${index}`,
    task: "",
    run: async () => {
      working += 1;
      if (working === count) met.resolve();
      await met.promise;
      return "met";
    },
  }));
}

test("as many agents work at once as maxConcurrency says, also more than is usual", async () => {
  const options = { store: "memory", cwd: project(), maxConcurrency: COUNT } as const;
  const { success } = await fanOut(agentsThatMeet(COUNT), options).result;
  expect(success).toBe(true);
});

test("an agent that this process carries out itself gets no directory", async () => {
  const cwd = project();
  const env = { HOME: cwd, TROUPE_HOME: cwd, PATH: process.env["PATH"] };
  const run = fanOut([{ name: "one", task: "", run: () => "done" }], { cwd, env });
  const { success } = await run.result;
  expect(success).toBe(true);
  const directory = join(cwd, ".troupe", "runs", run.id);
  expect([existsSync(directory), existsSync(join(directory, "agents"))]).toEqual([true, false]);
});
