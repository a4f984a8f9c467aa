import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { TurnClient } from "../../src/contracts/turn-client.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

type Work = (client: TurnClient) => Promise<unknown>;

const deposits =
  (...values: readonly string[]): Work =>
  async (client) => {
    for (const value of values) await client.signal({ kind: "deposit", value: `${value} 1` });
  };

test("marks that a turn repeats when it starts again are laid once, and those that are new or more of the same are laid [ENG-2]", async () => {
  const store = createCuttableStore();
  const program = async (context: Context) => {
    for (const id of ["b", "a"]) await context.spawn(agent(id));
    await context.turn("b", "go");
    return (await context.turn("a", "go")).text;
  };
  const backend = (work: Work, lasts: boolean) =>
    playedBackend(async function* ({ agent: id, client, signal }) {
      await (id === "b" ? deposits("z") : work)(client);
      if (id === "a" && lasts)
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield said("ok");
    });
  const first = runAgents(program, { backend: backend(deposits("x", "x", "y"), true), store });
  await settle();
  const seq = first.events.at(-1)?.seq ?? 0;
  first.owned.interrupt(130);
  await first.owned.parted;
  const cut = await store.cutAfter("run_agents", seq);
  const again = deposits("y", "x", "z", "x", "x");
  const second = runAgents(program, { backend: backend(again, false), store: cut });
  await second.over();
  const laid = [...first.all("signal-received"), ...second.all("signal-received")];
  expect(laid.map(({ agent: id, signal }) => `${id} ${signal.value}`.slice(0, -2))).toEqual([
    ...["b z", "a x", "a x", "a y", "a z", "a x"],
  ]);
});

test("a signal is journaled with the step that it serves; one that the part of an agent does not have says why it does not count", async () => {
  const answers: unknown[] = [];
  const backend = playedBackend(async function* ({ client }) {
    for (const kind of ["done", "handoff", "done"])
      answers.push(await client.signal({ kind, value: "it" }));
    yield said("ok");
  });
  const step = { id: "s", path: "loop[2]/s", execution: 1, attempt: 1 };
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "go", { step, rights: { signals: ["done"] } });
      await context.turn("a", "go");
      return null;
    },
    { backend },
  );
  await run.over();
  const received = run.all("signal-received");
  expect(received.map(({ turn, counted, step: of }) => [turn, counted, of])).toEqual([
    ...[1, 1, 1].map((turn, index) => [turn, index !== 1, "loop[2]/s"]),
    ...[2, 2, 2].map((turn) => [turn, true, undefined]),
  ]);
  const { refused } = received[1] ?? {};
  expect(refused).toEqual(expect.any(String));
  expect(received.filter((event) => "refused" in event)).toHaveLength(1);
  expect(answers).toEqual([undefined, refused, ...Array(4).fill(undefined)]);
});

test("a turn may give only so many signals within a minute [T5]", async () => {
  let code = "";
  const backend = playedBackend(async function* ({ client }) {
    for (let count = 0; count < 2000 && code === ""; count += 1)
      await client.signal({ kind: "progress", value: `${count}` }).catch((error) => {
        code = error.code;
      });
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "go");
      return null;
    },
    { backend },
  );
  await run.over();
  expect(code).toBe("MESSAGE_RATE_EXCEEDED");
});
