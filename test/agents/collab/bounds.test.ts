import { expect, test } from "vitest";
import { settle } from "../../../src/testing/manual-clock.ts";
import { plainKinds, playedBackend, said } from "../agents-run.ts";
import { type Call, callerOf, castBackend, type Part, runCast, says } from "./collab-run.ts";

/** Lets a lead do something in its first turn, and gives what it has seen. */
async function leadDoes(
  part: (call: Call, seen: unknown[]) => Promise<unknown>,
  options: Parameters<typeof runCast>[1] & { readonly cast?: Parameters<typeof runCast>[0] } = {},
) {
  const { cast = {}, ...others } = options;
  const seen: unknown[] = [];
  const lead: Part = async (call) => {
    await part(call, seen);
    return "done";
  };
  const run = runCast({ ...cast, lead: [lead] }, others);
  await expect.poll(() => run.owned.state.agents.get("lead")?.turnsEnded).toBeGreaterThan(0);
  await settle();
  await run.stop();
  return { run, seen };
}

const errorOf = (answer: unknown) => Reflect.get(Object(answer), "error");

test("every call counts for how often an agent may call within a minute, whatever it asks for [T5]", async () => {
  const { seen } = await leadDoes(async (call, answers) => {
    await call("spawn_agent", { prompt: "x", name: "ann" });
    let last: unknown;
    for (let count = 0; count < 2000 && errorOf(last) === undefined; count += 1)
      last = await call("wait", { ids: ["nobody"] });
    answers.push(
      await call("spawn_agent", { prompt: "x", name: "ben" }),
      await call("send_input", { id: "ann", prompt: "x" }),
      await call("close_agent", { id: "ann" }),
      await call("resume_agent", { id: "ann" }),
    );
  });
  expect(seen.map(errorOf)).toEqual(Array(4).fill("MESSAGE_RATE_EXCEEDED"));
});

test.each([
  { problems: [], error: undefined },
  { problems: ["it is not installed"], error: "COLLAB_BACKEND_NOT_READY" },
])(
  "the backend of a spawned agent is one that the workflow has, and is ready: $error [COL-8]",
  async ({ problems, error }) => {
    const answers: unknown[] = [];
    const checked: string[] = [];
    const lead: Part = async (call) => {
      for (const backend of ["played", "other", "unknown"])
        answers.push(await call("spawn_agent", { prompt: "x", backend }));
      return "done";
    };
    const check = async ({ backend }: { readonly backend: string }) => {
      checked.push(backend);
      return problems.map((message) => ({ message }));
    };
    const childKinds = { ...plainKinds, backends: () => ["other"] };
    const run = runCast({}, { backend: { ...castBackend({ lead: [lead] }), check }, childKinds });
    await expect.poll(() => answers.length).toBe(3);
    await run.stop();
    expect(answers.map(errorOf)).toEqual([undefined, error, "COLLAB_KIND_UNKNOWN"]);
    expect(checked).toEqual(["other"]);
  },
);

test("messages that go with calls count for what a budget leaves, and at its limit nothing is done [LIM-1.turns, COL-10]", async () => {
  const { seen, run } = await leadDoes(
    async (call, answers) => {
      answers.push(await call("spawn_agent", { prompt: "one", name: "ann" }));
      await call("wait");
      answers.push(await call("send_input", { id: "ann", prompt: "two" }));
      await call("wait");
      await call("close_agent", { id: "ann" });
      answers.push(await call("send_input", { id: "ann", prompt: "x" }));
      answers.push(await call("spawn_agent", { prompt: "x", name: "ben" }));
      answers.push(await call("resume_agent", { id: "ann", prompt: "x" }));
    },
    { lead: { budget: { messages: 2 } } },
  );
  expect(seen.map(errorOf)).toEqual([
    ...[undefined, undefined, "COLLAB_OVER", "LIMIT_MESSAGES", "LIMIT_MESSAGES"],
  ]);
  expect(run.all("agent-spawned").map((event) => event.agent)).toEqual(["lead", "ann"]);
});

test("nobody comes back whose parent has ended; who does comes back when that does [COL-14, SUB-4]", async () => {
  const spawnsLeaf: Part = async (call) => {
    await call("spawn_agent", { prompt: "x", name: "leaf" });
    await call("wait");
    return "ok";
  };
  const { seen } = await leadDoes(
    async (call, answers) => {
      await call("spawn_agent", { prompt: "x", name: "mid" });
      await call("wait");
      await call("close_agent", { id: "mid" });
      answers.push(await call("resume_agent", { id: "leaf" }));
      answers.push(await call("resume_agent", { id: "mid", prompt: "again" }));
      answers.push(await call("resume_agent", { id: "leaf" }));
    },
    { cast: { mid: [spawnsLeaf] }, spawnLimits: { maxDepth: 2 } },
  );
  expect(seen.map(errorOf)).toEqual(["COLLAB_OVER", undefined, undefined]);
});

test("what a call was made with is journaled by its beginning [T14]", async () => {
  const { run } = await leadDoes(async (call) => {
    await call("spawn_agent", { prompt: "x".repeat(2000), name: "ann" });
    await call("spawn_agent", { prompt: "y".repeat(2001), name: "ben" });
  });
  expect(run.all("collab-began").map(({ prompt }) => prompt)).toEqual([
    "x".repeat(2000),
    `${"y".repeat(1999)}…`,
  ]);
});

test.each([
  { what: "tools that name spawn_agent", tools: ["Read", "spawn_agent"], ok: [true, false] },
  // Programs have a tool of that name too: where theirs is not meant, it chooses none of Troupe's.
  { what: "tools that name Task", tools: ["Task"], ok: [true, true] },
  {
    what: "a program and tools that name Task",
    tools: ["Task"],
    reach: "http",
    ok: [false, false],
  },
  { what: "other tools", tools: ["Read"], ok: [false, false] },
  { what: "no list of tools", ok: [false, false] },
] as const)(
  "an agent with $what is offered calls for agents of its own: $ok [COL-1, SUB-4]",
  async (row) => {
    const answers: unknown[] = [];
    const part: Part = async (call) => {
      answers.push(await call("spawn_agent", { prompt: "x", name: "ann" }));
      answers.push(await call("Task", { description: "look", prompt: "x", name: "ben" }));
      return "done";
    };
    const reach = "reach" in row ? { reach: row.reach } : {};
    const tools = "tools" in row ? { tools: row.tools } : {};
    const backend = { ...castBackend({ lead: [part] }), ...reach };
    const run = runCast({}, { backend, lead: { ...tools, spawns: false } });
    await expect.poll(() => answers.length).toBe(2);
    await run.stop();
    expect(answers.map((answer) => errorOf(answer) === undefined)).toEqual(row.ok);
  },
);

test("whoever comes back without memory is told the last things it was given and its last answer, each by its beginning [COL-14]", async () => {
  const inputs = [1, 2, 3, 4, 5, 6].map((count) => `input ${count}`);
  const lead: Part = async (call) => {
    await call("spawn_agent", { prompt: "input 0", name: "ann" });
    for (const prompt of [...inputs, "z".repeat(1600)]) {
      await call("wait");
      await call("send_input", { id: "ann", prompt });
    }
    await call("wait");
    await call("close_agent", { id: "ann" });
    await call("resume_agent", { id: "ann", prompt: "go on" });
    await call("wait");
    return "done";
  };
  const cast = castBackend({ lead: [lead], ann: Array(8).fill(says("a".repeat(4001))) });
  const { open } = cast;
  const forgetting: typeof open = async (request) => {
    const { resume: _resume, ...session } = await open(request);
    return session;
  };
  const run = runCast({}, { backend: { ...cast, open: forgetting } });
  await expect.poll(() => run.owned.state.agents.get("lead")?.turnsEnded).toBe(1);
  await run.stop();
  const told = cast.prompts.filter(({ agent: id }) => id === "ann").at(-1)?.prompt ?? "";
  const lines = told.split("\n").filter((line) => /told you|you said|took part/.test(line));
  expect(lines.map((line) => line.replace(/^> /, ""))).toEqual([
    expect.stringContaining("You took part in this run before."),
    ...inputs.slice(2).map((input) => `lead told you: "${input}"`),
    `lead told you: "${"z".repeat(1500)}…"`,
    `The last that you said: "${"a".repeat(4000)}…"`,
  ]);
});

test("of many agents that live the first twenty are told, each with the beginning of its task [COL-13]", async () => {
  const backend = playedBackend(async function* (request) {
    if (request.agent === "lead" && request.turn === 1) {
      for (let count = 1; count <= 23; count += 1)
        await callerOf(request)("spawn_agent", {
          prompt: "t".repeat(158 + count),
          name: `w${count}`,
        });
      yield { type: "error", error: { code: "X", message: "it died" }, sessionLost: true };
    } else yield said("ok");
  });
  const { open } = backend;
  const forgetting: typeof open = async (request) => {
    const { resume: _resume, ...session } = await open(request);
    return session;
  };
  const run = runCast(
    {},
    { backend: { ...backend, open: forgetting }, spawnLimits: { maxAgents: 40 } },
  );
  const again = () =>
    backend.prompts.find(({ agent: id, attempt, turn }) => id === "lead" && attempt + turn > 2);
  await expect.poll(again).toBeDefined();
  await run.stop();
  const lines = (again()?.prompt ?? "").split("\n").filter((line) => /^> (w\d+:|…)/.test(line));
  expect(lines).toHaveLength(21);
  expect(lines.slice(0, 3).map((line) => line.replace(/^> (w\d+): \w+/, "$1"))).toEqual([
    `w1, for: "${"t".repeat(159)}"`,
    `w2, for: "${"t".repeat(160)}"`,
    `w3, for: "${"t".repeat(160)}…"`,
  ]);
  expect(lines.at(-1)).toBe("> … 3 more");
});
