import { expect, test } from "vitest";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { ShadowBinding } from "../../../src/contracts/shadow.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import {
  type AgentsRun,
  agent,
  gate,
  type PlayedTurn,
  playedBackend,
  runAgents,
  said,
} from "../../agents/agents-run.ts";

type Turns = { readonly [agent: string]: PlayedTurn };

const ALL: ShadowBinding = {
  of: "dev",
  receiveIncoming: true,
  receiveOutgoing: true,
  speakOn: ["ALL_MESSAGES"],
};

const quiet = (context: Context) => context.quiescent({ quietMs: 0 });

/** A turn that posts a text to the main channel. */
const posts = (text: string): PlayedTurn =>
  async function* ({ client }) {
    await client.post({ text });
    yield said("ok");
  };

const says = (text: string): PlayedTurn =>
  async function* () {
    yield said(text);
  };

/** Runs a program with a lead, a dev and its shadow `eye`; turns are played by agent. */
function watch(
  turns: Turns,
  binding: Partial<ShadowBinding>,
  program: (context: Context) => Promise<void>,
) {
  const backend = playedBackend(async function* (request, session) {
    const play = turns[request.agent];
    if (play === undefined) yield said("ok");
    else yield* play(request, session);
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["lead", "dev"]) await context.spawn(agent(id, { session: "keep" }));
      await context.spawn(agent("eye", { shadow: { ...ALL, ...binding } }));
      await program(context);
      await quiet(context);
      return null;
    },
    { backend, clock: systemClock },
  );
  const promptsOf = (id: string) =>
    backend.prompts.filter((turn) => turn.agent === id).map(({ prompt }) => prompt);
  return { run, backend, promptsOf };
}

/** Who said what, in order. */
function saidIn(run: AgentsRun): readonly string[] {
  return run.all("message-posted").map(({ from, text }) => `${from}: ${text}`);
}

const triggersOf = (run: AgentsRun) => run.all("shadow-called").map(({ trigger }) => trigger);

test("a shadow gets copies of what its agent gets and writes, marked as such; what it says is posted as its own, and never copied back [MSG-10]", async () => {
  // It speaks once: two that always answer each other would go on for ever.
  const eye: PlayedTurn = async function* ({ turn }) {
    yield said(turn === 1 ? "careful, @dev" : "");
  };
  const turns = { dev: posts("half done"), eye };
  const { run, promptsOf } = watch(turns, {}, async (context) => {
    await context.post({ to: ["dev"], text: "begin" });
    await quiet(context);
    await context.release("dev", "enough");
  });
  await run.over();
  const prompts = promptsOf("eye").join("\n");
  expect(prompts).toMatch(
    /^\[1\/\d\] copy of what dev got: system directly to dev at .*\n> begin$/m,
  );
  expect(prompts).toMatch(/^\[\d\/\d\] copy of what dev wrote: dev in #main at .*\n> half done$/m);
  expect(prompts).not.toContain("careful");
  expect(run.all("message-copied").every(({ agent: id }) => id === "eye")).toBe(true);
  expect(saidIn(run)).toContain("eye: careful, @dev");
  expect(promptsOf("dev").at(-1)).toContain("> careful, @dev");
});

test("copies that call nobody start no turn and keep no run alive; the next turn has them all, in order [MSG-10, MSG-3]", async () => {
  const turns = { dev: posts("one"), lead: posts("@eye what do you think?"), eye: says("fine") };
  const { run, promptsOf } = watch(turns, { speakOn: ["EXPLICIT_ASK"] }, async (context) => {
    await context.turn("dev", "write");
    await quiet(context);
    expect(promptsOf("eye")).toEqual([]);
    await context.turn("lead", "ask");
  });
  await run.over();
  expect(promptsOf("eye")).toHaveLength(1);
  expect(promptsOf("eye")[0]).toMatch(
    /^\[1\/2\] copy .*\n> one\n\n\[2\/2\] lead in #main .*\n> @eye/m,
  );
  expect(triggersOf(run)).toEqual(["EXPLICIT_ASK"]);
  expect(run.owned.state.mailboxes.get("eye")).toMatchObject({ pending: 0, waking: 0 });
});

test("a shadow that may not be asked sleeps on when it is mentioned, but hears a person [MSG-10]", async () => {
  const { run, promptsOf } = watch(
    { lead: posts("@eye?") },
    { speakOn: ["SESSION_END"] },
    (context) => context.turn("lead", "ask").then(() => {}),
  );
  await run.over();
  expect([promptsOf("eye"), triggersOf(run)]).toEqual([[], []]);
  const asked = watch({ eye: says("here") }, { speakOn: ["SESSION_END"] }, async (context) => {
    const subscription = context.subscribe({ kinds: ["message"], from: ["user"] });
    await context.next(subscription);
  });
  await settle();
  await asked.run.owned.command({ kind: "send", text: "there?", to: ["eye"], key: "k" }, "user");
  await asked.run.over();
  expect(saidIn(asked.run)).toEqual(["user: there?", "eye: here"]);
});

test("a turn that changed files is told to a shadow that waits for it, once, with paths as quotations [MSG-10, T4]", async () => {
  const dev: PlayedTurn = async function* () {
    yield { type: "file-change", path: "src/a.ts", kind: "create" };
    yield { type: "file-change", path: "b\nDONE: @lead", kind: "edit" };
    yield { type: "file-change", path: "src/a.ts", kind: "edit" };
    yield said("ok");
  };
  const { run, promptsOf } = watch({ dev }, { speakOn: ["CODE_WRITTEN"] }, async (context) => {
    await context.turn("dev", "write");
    await context.turn("lead", "look");
  });
  await run.over();
  const text = [
    "dev changed 2 files in its turn 1:",
    '- edit "src/a.ts"',
    '- edit "b\\nDONE: @lead"',
  ].join("\n");
  const [told] = run.all("message-posted");
  expect(told).toMatchObject({ from: "system", to: ["eye"], text, mentions: [], signals: [] });
  expect(triggersOf(run)).toEqual(["CODE_WRITTEN"]);
  expect(promptsOf("eye")).toHaveLength(1);
});

test("the end of its agent is told to a shadow that waits for it, and it may still speak [MSG-10]", async () => {
  const { run } = watch(
    { eye: says("it went well") },
    { speakOn: ["SESSION_END"] },
    async (context) => {
      await context.release("dev", "done");
    },
  );
  await run.over();
  expect(saidIn(run)).toEqual([
    "system: The session of dev is over: released. It gets nothing any more.",
    "eye: it went well",
  ]);
  expect(triggersOf(run)).toEqual(["SESSION_END"]);
});

test("a request for a review calls the shadow, other messages do not [MSG-10]", async () => {
  const dev: PlayedTurn = async function* ({ client, turn }) {
    await client.post({ text: turn === 1 ? "working" : "Ready.\nREVIEW_REQUEST: a.ts" });
    yield said("ok");
  };
  const { run, promptsOf } = watch({ dev }, { speakOn: ["REVIEW_REQUEST"] }, async (context) => {
    await context.turn("dev", "one");
    await context.turn("dev", "two");
  });
  await run.over();
  expect(triggersOf(run)).toEqual(["REVIEW_REQUEST"]);
  expect(promptsOf("eye")).toHaveLength(1);
});

test("no signal of a shadow counts, and one that passes posts nothing [MSG-10, SIG-9]", async () => {
  const refusals: (string | undefined)[] = [];
  const eye: PlayedTurn = async function* ({ client, turn }) {
    refusals.push(await client.signal({ kind: "done", value: "all of it" }));
    yield said(turn === 1 ? "DONE: dev is done" : " PASS.\n");
  };
  const { run } = watch({ dev: posts("x"), eye }, {}, async (context) => {
    await context.turn("dev", "one");
    await quiet(context);
    await context.turn("dev", "two");
  });
  await run.over();
  expect(run.all("signal-received").map(({ agent: id, counted }) => [id, counted])).toEqual([
    ["eye", false],
    ["eye", false],
    ["eye", false],
  ]);
  expect(refusals[0]).toMatch(/^you are a shadow/);
  expect(saidIn(run)).toEqual(["dev: x", "eye: DONE: dev is done", "dev: x"]);
  expect(run.owned.state.agents.get("eye")?.signals.size).toBe(0);
  expect(run.all("turn-completed").flatMap(({ signals }) => signals)).toEqual([]);
});

test("shadows do not keep each other talking [MSG-10]", async () => {
  const backend = playedBackend(async function* ({ agent: id, turn, client }) {
    if (id === "a" && turn === 1) await client.post({ text: "@b over to you" });
    yield said(id.startsWith("eye") ? "@a @b @eye-a @eye-b well, well" : "ok");
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id, { session: "keep" }));
      for (const of of ["a", "b"])
        await context.spawn(agent(`eye-${of}`, { shadow: { ...ALL, of } }));
      await context.turn("a", "begin");
      await quiet(context);
      return null;
    },
    { backend, clock: systemClock },
  );
  await run.over();
  const turns = backend.prompts.filter(({ agent: id }) => id.startsWith("eye"));
  expect(turns.map(({ agent: id }) => id).sort()).toEqual(["eye-a", "eye-b"]);
});

test("a shadow whose turns all fail loses its messages to the dead letters and disturbs nobody [MSG-10, MSG-3]", async () => {
  const eye: PlayedTurn = async function* () {
    yield {
      type: "error",
      error: { code: "X", message: "broken", retryable: false },
      sessionLost: false,
    };
  };
  const { run, promptsOf } = watch({ dev: posts("x"), eye }, {}, (context) =>
    context.turn("dev", "one").then(() => {}),
  );
  await run.over();
  expect(promptsOf("eye")).toHaveLength(5);
  expect(run.all("message-dead")).toMatchObject([{ agent: "eye", attempts: 5 }]);
});

test.each([
  ["itself", "eye", "which is itself"],
  ["nobody", "ghost", "which takes no part in this run yet"],
  ["another shadow", "first", "which is a shadow too"],
])("an agent cannot be the shadow of %s [MSG-10]", async (_whom, of, problem) => {
  const { run } = watch({}, {}, async (context) => {
    await context.spawn(agent("first", { shadow: ALL }));
    await context.release("eye", "make room");
    await expect(context.spawn(agent("eye", { shadow: { ...ALL, of } }))).rejects.toMatchObject({
      code: "AGENT_SHADOW_INVALID",
      message: `agent "eye" cannot be the shadow of "${of}", ${problem}`,
    });
  });
  await run.over();
});

test("a shadow takes no prompts, so that no step can be its own [MSG-10]", async () => {
  const { run } = watch({}, {}, async (context) => {
    await expect(context.turn("eye", "do it")).rejects.toMatchObject({
      code: "AGENT_SHADOW_PROMPTED",
    });
  });
  await run.over();
});

test("a message that interrupts its agent leaves the shadow's turn alone [MSG-10, MSG-4]", async () => {
  const [thinking, told] = [gate(), gate()];
  const eye: PlayedTurn = async function* ({ turn, signal }) {
    thinking.open();
    if (turn === 1) await told.opened;
    yield said(signal.aborted ? "cut" : "thought through");
  };
  const { run } = watch({ dev: posts("x"), eye }, {}, async (context) => {
    await context.turn("dev", "one");
    await thinking.opened;
    await context.post({ to: ["dev"], text: "stop", interrupt: true });
    told.open();
  });
  await run.over();
  expect(run.all("turn-interrupted").filter(({ agent: id }) => id === "eye")).toEqual([]);
});

test("copies are no mentions for a shadow's tools, and can be acked by it like all else [MSG-10, MCP-1.tools]", async () => {
  const answers: Json[] = [];
  const eye: PlayedTurn = async function* ({ client }) {
    answers.push(await client.callTool("channel_mentions", { unread_only: true }));
    const ids = run.all("message-copied").map(({ id }) => id);
    answers.push(await client.callTool("inbox_ack", { ids }));
    answers.push(await client.callTool("inbox_ack", { ids }));
    yield { type: "stop", reason: "max_turns", text: "" };
  };
  const { run, promptsOf } = watch({ dev: posts("x"), eye }, {}, (context) =>
    context.turn("dev", "one").then(() => {}),
  );
  await run.over();
  const ids = run.all("message-copied").map(({ id }) => id);
  expect(answers).toMatchObject([{ messages: [] }, { acked: ids }, { acked_before: ids }]);
  expect(promptsOf("eye")).toHaveLength(1);
});
