import { expect, test } from "vitest";
import { systemClock } from "../../src/foundation/clock.ts";
import { playedBackend, runAgents, said } from "./agents-run.ts";

const agent = (id: string) => ({ id, backend: "played", wakes: "reports" as const });

test("an agent is woken by what is worth a turn: neither by ACK and PROGRESS, nor by Troupe [MSG-4, PAT-turns.quiet]", async () => {
  const order: string[] = [];
  const backend = playedBackend(async function* ({ prompt, client }) {
    await client.post({ to: ["b"], text: prompt });
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await Promise.all(["a", "b"].map((id) => context.spawn(agent(id))));
      const woken = context.scope("woken", async (branch) => {
        await branch.woken("b");
        order.push("woken");
      });
      for (const text of ["ACK: I begin", "PROGRESS: 50% half"]) {
        await context.turn("a", text);
        order.push(text);
      }
      await context.post({ to: ["b"], text: "a notice" });
      order.push("notice");
      await context.turn("a", "DONE: all");
      await woken.result;
      await context.woken("b");
      return null;
    },
    { backend, clock: systemClock },
  );
  await run.over();
  expect(order).toEqual(["ACK: I begin", "PROGRESS: 50% half", "notice", "woken"]);
});

test.each([
  ...["DONE: all", "TEAM_DONE: all", "FAILED: no disk", "BLOCKED: no key", "which one?", "look"],
])("%s wakes an agent that reports wake [PAT-turns.woken]", async (text) => {
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "a") await client.post({ to: ["b"], text });
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id));
      const woken = context.scope("woken", (branch) => branch.woken("b"));
      await context.turn("a", "go");
      await context.quiescent({ quietMs: 0, agents: ["a"] });
      const waits = new Promise((resolve) => setImmediate(resolve)).then(() => "waits");
      return Promise.race([woken.result.then(() => "woken"), waits]);
    },
    { backend, clock: systemClock },
  );
  expect(await run.over()).toBe("woken");
});

test("quiescence among some agents waits for these and for those that they have spawned alone", async () => {
  const order: string[] = [];
  const gates = { a: Promise.withResolvers<void>(), child: Promise.withResolvers<void>() };
  const backend = playedBackend(async function* ({ agent: id }) {
    if (id === "a" || id === "child") await gates[id].promise;
    order.push(id);
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id));
      await context.spawn({ ...agent("child"), spawnedBy: "b" });
      const busy = context.scope("a", (branch) => branch.turn("a", "work"));
      const child = context.scope("child", (branch) => branch.turn("child", "work"));
      const quiet = context
        .quiescent({ quietMs: 0, agents: ["b"] })
        .then(() => order.push("quiet"));
      gates.child.resolve();
      await child.result;
      // How its child ended waits for it.
      await context.turn("b", "read");
      await quiet;
      gates.a.resolve();
      await busy.result;
      return null;
    },
    { backend, clock: systemClock },
  );
  await run.over();
  expect(order).toEqual(["child", "b", "quiet", "a"]);
});

test("the text of a turn goes to whom its agent reports to, and tells how it ends if the agent wrote itself [PAT-speak.report, PAT-speak.own]", async () => {
  const backend = playedBackend(async function* ({ prompt, client }) {
    if (prompt === "writes") await client.post({ text: "ACK: on it" });
    if (prompt === "signals") await client.signal({ kind: "done", value: "by tool" });
    yield said(prompt === "signals" ? "finished" : "the text\nDONE: result");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead"));
      await context.spawn({ ...agent("w"), reportsTo: "mid", writesTo: ["#"] });
      await context.spawn({ ...agent("mid"), reportsTo: "lead" });
      await context.spawn(agent("free"));
      const report = { announce: "text", announceTo: "mid" } as const;
      for (const prompt of ["plain", "writes", "signals"]) await context.turn("w", prompt, report);
      await context.release("mid", "it is gone");
      await context.turn("w", "plain", report);
      for (const prompt of ["plain", "writes"])
        await context.turn("free", prompt, { announce: "text" });
      return null;
    },
    { backend },
  );
  await run.over();
  const messages = run.all("message-posted");
  expect(messages.map(({ to = ["#"], text }) => `${to.join()}: ${text}`)).toEqual([
    "mid: the text\nDONE: result",
    "#: ACK: on it",
    "mid: DONE: result",
    "mid: finished\n\nDONE: by tool",
    "lead: the text\nDONE: result",
    "#: the text\nDONE: result",
    "#: ACK: on it",
  ]);
});
