import { expect, test } from "vitest";
import { openBackgroundRuns } from "../../src/app/background/background-runs.ts";
import { createDaemonLog } from "../../src/daemon/daemon-log.ts";
import { HeldRuns } from "../../src/daemon/held-runs.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { runWorkflow } from "../../src/index.ts";
import { createHome } from "./daemon-home.ts";

const COUNT = 40;

test("while many runs are let go others are heard, and each that was let go counts [DMN-1, P13.daemon]", async () => {
  const { files, cwd, env } = createHome();
  const background = openBackgroundRuns(files.background);
  const log = createDaemonLog(systemClock, () => {});
  const held = new HeldRuns({ background, log, onChange: () => {} });
  const content = { pattern: "pipeline", agents: [{ id: "a" }] };
  const functions = { a: () => new Promise<string>(() => {}) };
  let asked = 0;
  for (let index = 0; index < COUNT; index += 1) {
    const run = runWorkflow(content, "x", { cwd, env, store: "memory", functions });
    const entry = {
      ...{ run: run.id, workflow: "w", instance: `i${index}`, troupeDirectory: cwd },
      ...{ cwd, project: cwd, deaths: 0, finished: 0 },
    };
    const suspend = run.suspend.bind(run);
    run.suspend = (exitCode) => {
      asked += 1;
      return suspend(exitCode);
    };
    await held.take({ ...entry, status: "taking" }, async () => run);
    run.result.catch(() => {});
  }
  let askedWhenHeard = COUNT;
  setImmediate(() => {
    askedWhenHeard = asked;
  });
  await held.drain();
  expect(asked).toBe(COUNT);
  expect(askedWhenHeard).toBeLessThan(COUNT);
  expect(held.letGo).toBe(COUNT);
  expect(held.isEmpty).toBe(true);
});
