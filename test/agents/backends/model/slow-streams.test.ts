import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createModelBackend } from "../../../../src/agents/backends/model/model-backend.ts";
import type { AgentBackend, TurnUpdate } from "../../../../src/contracts/backend.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import { runAgents } from "../../agents-run.ts";
import { createTestHost } from "../test-host.ts";
import { rawModelServer, toPieces } from "./raw-model-server.ts";

const IDLE_MS = 60_000;

/** A model whose stream goes on piece by piece, when the test says so, in a run whose clock the test moves. */
async function drippingRun(pieces: readonly string[]) {
  const clock = createManualClock();
  const valve = createValve(pieces);
  const server = await rawModelServer(() => ({ pieces: valve.pieces(), ending: "ended" }));
  const cwd = await mkdtemp(join(tmpdir(), "troupe-model-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const heard: TurnUpdate[] = [];
  const settings = { anthropic: { baseUrl: `${server.url}/v1` } };
  const parts = { host: createTestHost(), clock, settings };
  const backend = createModelBackend(parts, { name: "model", settings: undefined });
  const run = runAgents(
    async (context) => {
      const env = { ANTHROPIC_API_KEY: "a-key" };
      const model = { id: "coder", backend: "model", model: "anthropic/scripted", env, cwd };
      const { id } = await context.spawn({ ...model, idleTimeoutMs: IDLE_MS });
      return await context.turn(id, "go").then(
        ({ text }) => text,
        (error) => error.code,
      );
    },
    { backend: listened(backend, heard), clock },
  );
  return { run, clock, valve, heard, bodies: server.bodies };
}

/** Lets one piece through at a time. */
function createValve(all: readonly string[]) {
  const waiting: (() => void)[] = [];
  let open = 0;
  const asked = Promise.withResolvers<void>();
  async function* pieces(): AsyncGenerator<string> {
    asked.resolve();
    for (const piece of all) {
      if (open === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else open -= 1;
      yield piece;
    }
  }
  return {
    pieces,
    asked: asked.promise,
    next: () => {
      const resolve = waiting.shift();
      if (resolve === undefined) open += 1;
      else resolve();
    },
  };
}

/** The backend, with all that its sessions say put down. */
function listened(backend: AgentBackend, heard: TurnUpdate[]): AgentBackend {
  return {
    ...backend,
    open: async (request) => {
      const session = await backend.open(request);
      return {
        ...session,
        prompt: async function* (turn) {
          for await (const update of session.prompt(turn)) {
            heard.push(update);
            yield update;
          }
        },
      };
    },
  };
}

const words = (updates: readonly TurnUpdate[]) =>
  updates.filter(({ type }) => type === "text-delta").length;

test("an answer that drips, each word nearly as late as the agent may be silent, is waited for to its end [LOOP-1.reports, AGT-8.stuck]", async () => {
  const text = "one word, and another, and the last of all of them";
  const pieces = toPieces("anthropic", { text, calls: [] });
  const { run, clock, valve, heard } = await drippingRun(pieces);
  await valve.asked;
  // The last two say how it ended, which is a sign of life once it is whole.
  const slow = pieces.slice(0, -2);
  for (const _ of slow) {
    const before = heard.length;
    await clock.advance(IDLE_MS * 0.9);
    valve.next();
    await expect.poll(() => heard.length).toBeGreaterThan(before);
  }
  valve.next();
  valve.next();
  expect(await run.over()).toBe(text);
  expect(run.all("agent-nudged")).toEqual([]);
});

test("an answer that stands still is noticed: its connection is closed, and in the end the turn is given up [AGT-8.stuck, LOOP-5]", async () => {
  const pieces = toPieces("anthropic", { text: "one word, and another of them", calls: [] });
  const { run, clock, valve, heard } = await drippingRun(pieces);
  await valve.asked;
  for (let index = 0; index < 3; index += 1) valve.next();
  await expect.poll(() => words(heard)).toBe(1);
  let code: unknown;
  void run.over().then((over) => {
    code = over;
  });
  await expect
    .poll(async () => {
      await clock.advance(IDLE_MS);
      return code;
    })
    .toBe("AGENT_STUCK");
  expect(run.all("agent-nudged").map(({ rung }) => rung)).toContain("interrupt");
});
