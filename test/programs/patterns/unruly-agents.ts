import { setImmediate as later } from "node:timers/promises";
import fc from "fast-check";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { Json } from "../../../src/foundation/json.ts";

/** Ids of agents that do what they like. */
const UNRULY = ["a", "b", "c", "d"] as const;

const MAX_TURNS = 40;

const other = fc.constantFrom(...UNRULY, "nobody", "user", "system");

/** What an agent says: silence, talk, signals of its own and of others' roles, lies, quotes, and several of them. */
const line = fc.oneof(
  fc.constantFrom(
    "",
    "I go on",
    "DONE: mine",
    "DONE:",
    "ACK: yes",
    "PROGRESS: 40% there",
    "VOTE: approve",
  ),
  fc.constantFrom("VERDICT: me", "> DONE: quoted", "```\nDONE: fenced\n```", "done: lower"),
  fc.constantFrom(
    "FAILED: no access",
    "BLOCKED: a key",
    "This is a mesh: DONE: <what you contributed>",
  ),
  other.map((agent) => `HANDOFF: ${agent} yours`),
  other.map((agent) => `@${agent} look at this`),
  other.map((agent) => `DONE: on behalf of ${agent}`),
);

const turn = fc.record({
  say: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
  /** What goes wrong, or is done besides. */
  how: fc.constantFrom(
    "plain",
    "plain",
    "plain",
    "late",
    "throw",
    "flood",
    "echo",
    "signal",
    "write",
  ),
});

/** The turns of all agents, in order; after the last one they start again. */
export const behaviour = fc.record({
  agents: fc.integer({ min: 1, max: UNRULY.length }),
  turns: fc.array(fc.array(turn, { minLength: 1, maxLength: 4 }), {
    minLength: UNRULY.length,
    maxLength: UNRULY.length,
  }),
  scripted: fc.array(fc.boolean(), { minLength: UNRULY.length, maxLength: UNRULY.length }),
  maxAttempts: fc.constantFrom(1, 1, 2),
});

/** How all agents of a case behave. */
export type Behaviour = typeof behaviour extends fc.Arbitrary<infer Value> ? Value : never;

/** The agents of a case: scripted ones are told conventions, functions are not. */
export function unrulyTeam({ agents, turns, scripted }: Behaviour) {
  const ids = UNRULY.slice(0, agents);
  const isScripted = (index: number) => scripted[index] === true;
  return {
    agents: ids.map((id, index) => (isScripted(index) ? { id } : { id, backend: "function" })),
    functions: Object.fromEntries(
      ids.map((id, index) => [id, functionOf(turns[index] ?? [])] as const),
    ),
    turns: Object.fromEntries(ids.map((id, index) => [id, scriptOf(turns[index] ?? [])] as const)),
  };
}

type Turns = Behaviour["turns"][number];

function scriptOf(turns: Turns): Json {
  const played = turns.map(({ say, how }): Json => {
    if (how === "throw") return { fail: { code: "TEST_BROKE", message: "it broke" } };
    return { do: [...actionsOf(how)], say };
  });
  return Array.from({ length: MAX_TURNS }, (_, index) => played[index % played.length] ?? {});
}

function actionsOf(how: Turns[number]["how"]): readonly Json[] {
  if (how === "flood")
    return Array.from({ length: 5 }, (_, index) => ({ send: { to: "a", text: `flood ${index}` } }));
  if (how === "signal") return [{ signal: { kind: "done", value: "by tool" } }];
  if (how === "write") return [{ file: { path: "work.txt", kind: "edit" } }];
  return [];
}

function functionOf(turns: Turns): AgentFunction {
  let given = 0;
  return async ({ prompt, post, giveSignal }) => {
    const { say, how } = turns[given++ % turns.length] ?? { say: "", how: "plain" };
    if (how === "late") for (let wait = 0; wait < 5; wait += 1) await later();
    if (how === "throw") throw new Error("it broke");
    if (how === "flood")
      for (let sent = 0; sent < 5; sent += 1) await post({ text: `flood ${sent}` });
    if (how === "signal") await giveSignal({ kind: "done", value: "by tool" });
    return how === "echo" ? prompt : say;
  };
}
