import { expect, test } from "vitest";
import { agentExited, protocolBroken } from "../../src/agents/backends/parts/errors.ts";
import type { AgentSession } from "../../src/contracts/backend.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "./agents-run.ts";

const KILLED = agentExited({ agent: "a", signal: "SIGKILL", stderr: "" });
const EXITED = agentExited({ agent: "a", exitCode: 1, stderr: "" });
const BROKEN = protocolBroken({ agent: "a", problem: "nonsense" });

const done: PlayedTurn = async function* () {
  yield said("done");
};

/** A turn of an agent whose program ends so often while it opens. */
async function openings(error: Error, times: number) {
  const clock = createManualClock();
  const played = playedBackend(done);
  let opened = 0;
  const open: typeof played.open = async (request): Promise<AgentSession> => {
    opened += 1;
    if (opened <= times) throw error;
    return played.open(request);
  };
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      return context.turn("a", "go").then(
        ({ text }) => text,
        (thrown: unknown) => (thrown instanceof Error ? thrown.name : ""),
      );
    },
    { backend: { ...played, open }, clock },
  );
  await clock.advance(5000);
  const result = await run.over();
  return { run, result, opened: () => opened, prompts: played.prompts };
}

test.each([
  ["is killed once", KILLED, 1],
  ["is killed twice", KILLED, 2],
  ["exits once", EXITED, 1],
  ["exits twice", EXITED, 2],
] as const)(
  "a program that %s while it opens is started again: it is given its prompt once, and no attempt is used up [AGT-7.opening]",
  async (_what, error, times) => {
    const { run, result, opened, prompts } = await openings(error, times);
    expect(result).toBe("done");
    expect(opened()).toBe(times + 1);
    expect(prompts).toHaveLength(1);
    expect(run.all("turn-started").map(({ attempt }) => attempt)).toEqual([1]);
    expect(run.all("operation-attempted")).toEqual([]);
    expect(run.all("log").map(({ level }) => level)).toEqual(Array(times).fill("warning"));
  },
);

test.each([
  ["ends each time that it opens", KILLED, 3],
  ["says what nobody understands", BROKEN, 1],
] as const)("a program that %s fails its turn [AGT-7.opening]", async (_what, error, opened) => {
  const tried = await openings(error, 99);
  expect(tried.opened()).toBe(opened);
  expect(tried.run.all("turn-failed")).toMatchObject([{ error: { code: error.code } }]);
});

test("a turn that is cancelled while its program waits for its next start ends at once [AGT-7.opening]", async () => {
  const clock = createManualClock();
  const backend = {
    ...playedBackend(done),
    open: async (): Promise<AgentSession> => {
      throw KILLED;
    },
  };
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "go");
      return null;
    },
    { backend, clock },
  );
  await clock.advance(100);
  run.owned.interrupt(130);
  expect(await run.owned.parted).toMatchObject({ status: "suspended" });
});
