import { expect, test } from "vitest";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "../agents-run.ts";
import { callerOf } from "./collab-run.ts";

const TOLD = "You have spawned these agents, and they live";

/** A backend whose agents play, and whose sessions cannot be gone on with. */
function forgetful(play: PlayedTurn) {
  const backend = playedBackend(play);
  const { open } = backend;
  const forgetting = async (request: Parameters<typeof open>[0]) => {
    const { resume: _resume, ...session } = await open(request);
    return session;
  };
  return { ...backend, open: forgetting };
}

const hang: PlayedTurn = async function* ({ signal }) {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "stop", reason: "cancelled" };
};

const lost: TurnUpdate = {
  type: "error",
  error: toErrorReport(new Error("the program died")),
  sessionLost: true,
};

const promptsOf = (backend: ReturnType<typeof forgetful>, id = "lead") =>
  backend.prompts.filter(({ agent: each }) => each === id).map(({ prompt }) => prompt);

const steps =
  (count: number, session: "fresh" | "keep" = "keep") =>
  async (context: Context): Promise<Json> => {
    await context.spawn(agent("lead", { session, spawns: true }));
    const texts: string[] = [];
    for (let index = 1; index <= count; index += 1) {
      const step = { id: `s${index}`, path: `s${index}`, execution: 1, attempt: 1 };
      texts.push((await context.turn("lead", "go", { step, session: `s${index}` })).text);
    }
    return texts;
  };

test("whoever takes over from a lost session is told of its agents that live, what they do and how far they are, until its turn has ended [COL-13]", async () => {
  const backend = forgetful(async function* (request, session) {
    if (request.agent === "busy") yield* hang(request, session);
    const call = callerOf(request);
    if (request.agent === "lead" && request.turn === 1) {
      await call("spawn_agent", { name: "busy", prompt: "Count the files\nof the project" });
      await call("spawn_agent", { name: "ready", prompt: "Count the tests" });
      await call("spawn_agent", { name: "gone", prompt: "Count the pages" });
      await call("wait", { ids: ["ready", "gone"] });
      await call("close_agent", { id: "gone" });
      yield lost;
      return;
    }
    yield said("ok");
  });
  const run = runAgents(steps(2), { backend });
  expect(await run.over()).toEqual(["ok", "ok"]);
  const [first, second, third] = promptsOf(backend);
  expect(first).not.toContain(TOLD);
  expect(
    second?.split("\n").filter((line) => line.includes("busy") || line.includes(": ")),
  ).toEqual(
    expect.arrayContaining([
      '> busy: running, for: "Count the files\\nof the project"',
      '> ready: completed, for: "Count the tests"',
    ]),
  );
  expect(second).not.toContain("> gone");
  expect(third).not.toContain(TOLD);
});

test.each([
  { memory: "remembers", make: playedBackend },
  { memory: "remembers nothing", make: forgetful },
])(
  "whoever's owner was killed and whose session $memory is told of its agents that live, and spawns none twice [COL-13]",
  async ({ make }) => {
    const asked: string[] = [];
    // As models are: the second time it asks in other words, unless it is told whom it has.
    const lead: PlayedTurn = async function* (request) {
      const call = callerOf(request);
      const isTold = request.prompt.includes("> scout");
      asked.push(isTold ? "told" : "not told");
      if (!isTold)
        await call("spawn_agent", { name: "scout", prompt: `Look around (${asked.length})` });
      await call("wait", { ids: ["scout"] });
      yield said("done");
    };
    const backend = () =>
      make((request, session) =>
        request.agent === "lead"
          ? lead(request, session)
          : (async function* () {
              yield said("seen");
            })(),
      );
    const store = createCuttableStore();
    expect(await runAgents(steps(1), { backend: backend(), store }).over()).toEqual(["done"]);
    let told = 0;
    for (const seq of store.commits("run_agents").slice(0, -1)) {
      const cut = await store.cutAfter("run_agents", seq);
      asked.length = 0;
      const run = runAgents(steps(1), { backend: backend(), store: cut });
      expect(await run.over()).toEqual(["done"]);
      await settle();
      if (asked.includes("told")) told += 1;
      expect([seq, [...run.owned.state.agents.keys()]]).toEqual([seq, ["lead", "scout"]]);
    }
    expect(told).toBeGreaterThan(1);
  },
);

test("a session of its own for the next step knows of the agents that the one before has left [COL-13]", async () => {
  const backend = forgetful(async function* (request, session) {
    if (request.agent === "scout") yield* hang(request, session);
    if (request.agent === "lead" && request.turn === 1)
      await callerOf(request)("spawn_agent", { name: "scout", prompt: "Look" });
    yield said("ok");
  });
  expect(await runAgents(steps(3, "fresh"), { backend }).over()).toEqual(["ok", "ok", "ok"]);
  expect(promptsOf(backend).map((prompt) => prompt.includes("> scout: running"))).toEqual([
    ...[false, true, true],
  ]);
});
