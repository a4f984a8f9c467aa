import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRateGovernor } from "../../../../src/agents/governor/rate-governor.ts";
import { createMemoryLedger } from "../../../../src/app/run/owner/run-hold.ts";
import { type Clock, systemClock } from "../../../../src/foundation/clock.ts";
import { modelTurn } from "./model-turn.ts";

test.each([{ status: 429, retryAfterSeconds: 1 }, { status: 529 }])(
  "a provider that is busy in the middle of a turn ($status) is asked again later, and what it answered before is not [LOOP-5, LOOP-12]",
  async (busy) => {
    const hurried: Clock = {
      ...systemClock,
      startTimer: (delayMs, fire) => systemClock.startTimer(Math.min(delayMs, 20), fire),
    };
    const ledger = createMemoryLedger();
    const governor = createRateGovernor({
      ...{ ledger: () => ledger, clock: hurried, random: () => 0, places: 8, newId: () => "turn" },
    });
    const { run, cwd, calls } = await modelTurn(
      [
        { calls: [{ shell: "echo x >> ledger" }] },
        { fail: { ...busy, times: 1 }, calls: [{ tool: "LS" }] },
        { text: "done" },
      ],
      { permissionMode: "bypass" },
      { governor },
    );
    expect(await run.over()).toBe("done");
    expect(await readFile(join(cwd, "ledger"), "utf8")).toBe("x\n");
    expect(calls()).toHaveLength(4);
    expect(run.all("turn-interrupted")).toMatchObject([{ reason: "rate-limited" }]);
    expect(run.all("model-called").map(({ call }) => call)).toEqual([1, 2, 3]);
  },
);

test("tokens are counted once, with the price of the model [AGT-15, LOOP-7.cache]", async () => {
  const prices = {
    "anthropic/scripted": { inputPerMTok: 1, outputPerMTok: 1, cachedPerMTok: 0.1 },
  };
  const { run } = await modelTurn([{ calls: [{ tool: "LS" }] }, { text: "done" }], {}, { prices });
  await run.over();
  const [first] = run.all("model-called");
  const [turn] = run.all("turn-completed");
  expect(turn?.usage?.inputTokens).toBe(2 * (first?.usage?.inputTokens ?? 0));
  expect(turn?.usage?.cachedTokens).toBe(2 * (first?.usage?.cachedTokens ?? 0));
  expect(turn?.usage?.costUsd).toBeCloseTo(2 * (first?.usage?.costUsd ?? 0), 12);
  expect(first?.usage?.estimatedUsd).toBeGreaterThan(0);
});

test("what its mode does not allow is asked of a person or denied, by the one kind of request [AGT-10]", async () => {
  const { run, cwd } = await modelTurn(
    [
      { calls: [{ tool: "Write", args: { file_path: "made", content: "x" } }] },
      { calls: [{ shell: "echo y > other" }] },
      { text: "done" },
    ],
    { permissionMode: "dont-ask" },
  );
  await run.over();
  expect(run.all("permission-resolved").map(({ decision, by }) => `${decision} by ${by}`)).toEqual([
    "denied by policy",
    "denied by policy",
  ]);
  await expect(readFile(join(cwd, "made"), "utf8")).rejects.toThrow("ENOENT");
});

test("with accept-edits files in its directory are changed unasked, a link out of it is a question [AGT-10, T14]", async () => {
  const outside = await mkdtemp(join(tmpdir(), "troupe-outside-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const { run, cwd } = await modelTurn(
    [
      { calls: [{ tool: "Write", args: { file_path: "made", content: "x" } }] },
      { calls: [{ shell: `ln -s ${outside} out` }] },
      { calls: [{ tool: "Write", args: { file_path: "out/made", content: "x" } }] },
      { text: "done" },
    ],
    { permissionMode: "accept-edits" },
  );
  const asked: string[] = [];
  const decide = setInterval(() => {
    for (const event of run.all("permission-requested")) {
      if (event.ruling !== undefined || asked.includes(event.id)) continue;
      asked.push(event.id);
      const decision = event.tool === "Bash" ? "allowed" : "denied";
      void run.owned.command({ kind: "resolve-permission", id: event.id, decision }, "user");
    }
  }, 5);
  onTestFinished(() => clearInterval(decide));
  await run.over();
  const questions = run.all("permission-requested").filter(({ ruling }) => ruling === undefined);
  expect(questions.map(({ tool }) => tool)).toEqual(["Bash", "Write"]);
  expect(await readFile(join(cwd, "made"), "utf8")).toBe("x");
  await expect(readFile(join(outside, "made"), "utf8")).rejects.toThrow("ENOENT");
});
