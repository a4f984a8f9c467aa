import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentFunction } from "../../src/contracts/agent-function.ts";
import { collab, loadWorkflow, runWorkflow, workflow } from "../../src/index.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

test("send posts as the user, to the main channel or to whom it names, and cuts a turn off only if asked to [SDK-7.send]", async () => {
  const tasks: string[] = [];
  const begun = Promise.withResolvers<void>();
  const lead: AgentFunction = async ({ task, signal }) => {
    tasks.push(task);
    if (tasks.length > 1) return "DONE: heard";
    begun.resolve();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return "never";
  };
  const agent = { name: "lead", task: "x", run: lead };
  const run = collab({ cwd: temporaryDirectory(), store: "memory", agent });
  await begun.promise;
  await run.send("for all");
  await run.send("for you", { to: ["lead"] });
  expect(tasks).toHaveLength(1);
  await run.send("at once", { to: ["lead"], interrupt: true });
  await expect(run.send("x", { to: ["nobody"] })).rejects.toMatchObject({
    code: expect.stringMatching(/^MESSAGE_/),
  });
  expect((await run.result).output).toBe("heard");
  const posted = [];
  for await (const event of run.events)
    if (event.type === "message-posted" && event.from === "user")
      posted.push([event.text, event.channel, event.to]);
  expect(posted).toEqual([
    ["for all", "main", undefined],
    ["for you", undefined, ["lead"]],
    ["at once", undefined, ["lead"]],
  ]);
  expect(tasks[1]).toMatch(/for you[\s\S]+at once/);
});

const asking = () =>
  workflow("w").steps({
    ask: { type: "approval", message: "Go on?", onApprove: "yes", onReject: "no" },
    yes: { type: "transform", transform: '"went on"' },
    no: { type: "transform", transform: '"stopped"' },
  });

test.each([
  [undefined, "went on", "approved"],
  [{ approved: true, comment: "fine" }, "went on", "approved"],
  [{ approved: false, comment: "not now" }, "stopped", "rejected"],
] as const)("approve with %j decides what waits [SDK-7.decide]", async (decision, output, word) => {
  const run = asking().run("x", { cwd: temporaryDirectory(), store: "memory" });
  for await (const event of run.events) {
    if (event.type !== "approval-requested") continue;
    await run.approve(event.approval, decision);
    break;
  }
  expect((await run.parted).event).toMatchObject({ result: { output } });
  const resolved = [];
  for await (const event of run.events)
    if (event.type === "approval-resolved") resolved.push(event);
  expect(resolved).toMatchObject([
    { decision: word, by: "user", ...(decision && { comment: decision.comment }) },
  ]);
});

test("answer answers the question that waits, once [SDK-7.decide]", async () => {
  const run = runWorkflow({ pattern: "pipeline", agents: [{ id: "ada", backend: "human" }] }, "?", {
    cwd: temporaryDirectory(),
    store: "memory",
  });
  for await (const event of run.events) {
    if (event.type !== "question-asked") continue;
    await run.answer(event.id, "forty-two");
    await expect(run.answer(event.id, "more")).rejects.toMatchObject({
      code: expect.stringMatching(/^ENGINE_/),
    });
    break;
  }
  expect((await run.result).output).toBe("forty-two");
});

test("what a run is given stands over its file, and the file over its template [SDK-7.overrides]", async () => {
  const cwd = temporaryDirectory();
  const file = (name: string, overrides: string) => {
    writeFileSync(join(cwd, name), `name: w\ntemplate: feature-dev\noverrides: {${overrides}}\n`);
    return loadWorkflow(name, { cwd, backend: "script" });
  };
  const limitsOf = async (loaded: Awaited<ReturnType<typeof file>>, options: object) => {
    const run = runWorkflow(loaded, "x", { cwd, store: "memory", ...options });
    await run.cancel();
    await run.parted;
    return run.state.run.limits?.timeoutMs;
  };
  const plain = await file("plain.yaml", "");
  const written = await file("written.yaml", "options.timeout: 3m");
  expect(await limitsOf(plain, {})).toBe(7_200_000);
  expect(await limitsOf(written, {})).toBe(180_000);
  expect(await limitsOf(written, { timeoutMs: 60_000 })).toBe(60_000);
});
