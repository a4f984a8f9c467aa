import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fanOut, resumeRun, runWorkflow, workflow } from "../../src/index.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-settled-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const STORES = ["memory", "files"] as const;
const asking = { pattern: "pipeline", agents: [{ id: "ann", backend: "human" }] };
const LET_GO = { code: "RUN_LET_GO", message: expect.stringContaining("wait") };

test.each(STORES)(
  "a result that a person is needed for settles where nobody attends, and the process is free again: %s [SDK-9.settles]",
  async (store) => {
    const talk = runWorkflow(asking, "is it deep?", { cwd, store });
    await expect(talk.result).rejects.toMatchObject(LET_GO);
    expect(await talk.parted).toMatchObject({ status: "suspended", event: { reason: "waiting" } });

    const timed = fanOut([{ task: "x", backend: "human", name: "ann" }], {
      ...{ cwd, store, timeoutMs: 3_600_000 },
    });
    await expect(timed.result).rejects.toMatchObject(LET_GO);

    const steps = workflow("gate").steps({ gate: { type: "approval", message: "may I?" } });
    await expect(steps.run("x", { cwd, store }).result).rejects.toMatchObject(LET_GO);
  },
);

test("a result that is asked for only when the run waits settles, too [SDK-9.settles]", async () => {
  const run = runWorkflow(asking, "is it deep?", { cwd });
  const { parted } = run;
  const other = await waitingRun();
  await expect(other.result).rejects.toMatchObject(LET_GO);
  void run.result.catch(() => {});
  expect(await parted).toMatchObject({ status: "suspended" });

  async function waitingRun() {
    const first = runWorkflow(asking, "is it deep?", { cwd });
    await expect(first.result).rejects.toMatchObject(LET_GO);
    const resumed = await resumeRun(first.id, { cwd });
    if (resumed.status === "over") throw new Error("it is over");
    return resumed.run;
  }
});

test.each(STORES)(
  "a run that somebody attends waits for the answer: %s [SDK-9.attended]",
  async (store) => {
    const run = runWorkflow(asking, "is it deep?", { cwd, store });
    for await (const event of run.events)
      if (event.type === "question-asked") await run.answer(event.id, "it is");
    expect(await run.result).toMatchObject({ success: true, output: "it is" });
  },
);
