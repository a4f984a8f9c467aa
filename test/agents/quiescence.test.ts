import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "./agents-run.ts";

const QUIET_MS = 1000;

/** A backend whose agents of these names work until they are cut off; the others say a word. */
function busy(...names: readonly string[]) {
  const play: PlayedTurn = async function* ({ agent: id, signal }) {
    if (names.includes(id))
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield said(id);
  };
  return playedBackend(play);
}

/** Whether a wait for quiet was over after a while. */
async function isQuietAfter(
  prepare: (context: Context) => Promise<unknown>,
  {
    backend = busy(),
    agents,
  }: { backend?: ReturnType<typeof busy>; agents?: readonly string[] } = {},
): Promise<boolean> {
  const clock = createManualClock();
  const order: string[] = [];
  const run = runAgents(
    async (context) => {
      await prepare(context);
      await context.quiescent({ quietMs: QUIET_MS, ...(agents === undefined ? {} : { agents }) });
      order.push("quiet");
      await context.approval({ message: "Go on?" });
      return null;
    },
    { backend, clock, spawnLimits: { maxDepth: 3 } },
  );
  await settle();
  expect(run.all("operation-scheduled").map(({ kind }) => kind)).toContain("quiescent");

  await clock.advance(10 * QUIET_MS);
  const isQuiet = order.length > 0;
  run.owned.interrupt(130);
  await run.owned.parted;
  expect(clock.timerCount).toBe(0);
  return isQuiet;
}

/** Begins a turn and goes on without waiting for it. */
function begin(context: Context, id: string): void {
  void context.turn(id, "go", { timeoutMs: 3_600_000 }).catch(() => undefined);
}

const kept = (id: string, more: object = {}) => agent(id, { session: "keep", ...more });

test("a wait for quiet lasts as long as anybody works, or only as long as those do whom it is about", async () => {
  const prepare = async (context: Context) => {
    for (const id of ["idle", "busy"]) await context.spawn(kept(id));
    begin(context, "busy");
  };
  const backend = () => busy("busy");
  expect(await isQuietAfter(prepare, { backend: backend() })).toBe(false);
  expect(await isQuietAfter(prepare, { backend: backend(), agents: ["busy"] })).toBe(false);
  expect(await isQuietAfter(prepare, { backend: backend(), agents: ["idle", "busy"] })).toBe(false);
  expect(await isQuietAfter(prepare, { backend: backend(), agents: ["idle", "nobody"] })).toBe(
    true,
  );
});

test("whom an agent has spawned, and whom that one has, belongs to it in a wait for quiet", async () => {
  const prepare = async (context: Context) => {
    for (const id of ["lead", "other"]) await context.spawn(kept(id));
    await context.spawn(kept("child", { spawnedBy: "lead", reportsTo: "lead" }));
    await context.spawn(kept("grandchild", { spawnedBy: "child", reportsTo: "child" }));
    begin(context, "grandchild");
  };
  const backend = () => busy("grandchild");
  expect(await isQuietAfter(prepare, { backend: backend(), agents: ["lead"] })).toBe(false);
  expect(await isQuietAfter(prepare, { backend: backend(), agents: ["other"] })).toBe(true);
});

test("a program that works itself is not quiet, but those agents are that it waits for", async () => {
  const prepare = async (context: Context) => {
    await context.spawn(kept("idle"));
    void context.step("work", ({ signal }) => {
      return new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
    });
  };
  expect(await isQuietAfter(prepare)).toBe(false);
  expect(await isQuietAfter(prepare, { agents: ["idle"] })).toBe(true);
});

test("the quiet begins anew with whatever happens in it", async () => {
  const clock = createManualClock();
  const run = runAgents(
    async (context) => {
      await context.spawn(kept("a"));
      await context.quiescent({ quietMs: QUIET_MS });
      return "quiet";
    },
    { backend: busy(), clock },
  );
  await clock.advance(QUIET_MS - 1);
  await run.owned.command({ kind: "send", text: "news", to: ["a"], key: "k" }, "user");
  await clock.advance(QUIET_MS - 1);
  expect(run.all("run-ended")).toEqual([]);
  await clock.advance(1);
  expect(await run.over()).toBe("quiet");
});

const approving: PlayedTurn = async function* ({ client, agent: id, signal }) {
  if (id === "asker")
    await client.callTool("approval_request", { message: "May I?", wait_seconds: 0 });
  if (id === "questioner") await client.post({ text: "@user which?" });
  if (id === "busy") await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield said("asked");
};

test("what an agent waits to have decided will be read: until then it is not quiet, whatever others do", async () => {
  const ask = (id: string) => async (context: Context) => {
    for (const each of ["idle", "busy", "asker", "questioner"]) await context.spawn(kept(each));
    // Somebody works, so that the time of the run goes on.
    begin(context, "busy");
    await context.turn(id, "go");
  };
  const isQuiet = (id: string, among: string) =>
    isQuietAfter(ask(id), { backend: playedBackend(approving), agents: [among] });
  expect(await isQuiet("asker", "asker")).toBe(false);
  expect(await isQuiet("asker", "idle")).toBe(true);
  // A question may stay without an answer.
  expect(await isQuiet("questioner", "questioner")).toBe(true);
});
