import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { Json } from "../../src/foundation/json.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

interface Asked {
  readonly tool: string;
  readonly input: Json;
}

const bash = (command: string): Asked => ({ tool: "Bash", input: { command } });
const edit = (path: string): Asked => ({ tool: "Edit", input: { file_path: path } });

/** Agents that ask for one thing after the other in each of their turns, and say what they were answered. */
function askingFor(asked: { readonly [agent: string]: readonly Asked[] }) {
  return playedBackend(async function* ({ agent: id, client }) {
    const answers: string[] = [];
    for (const { tool, input } of asked[id] ?? []) {
      const { decision, comment } = await client.requestPermission(tool, input);
      answers.push(comment === undefined ? decision : `${decision}: ${comment}`);
    }
    yield said(answers.join("\n"));
  });
}

/** What an agent of this kind is answered, as far as it is answered without a person. */
async function answersOf(
  specs: readonly AgentSpec[],
  asked: readonly Asked[],
): Promise<readonly (string | undefined)[]> {
  const asker = specs.at(-1)?.id ?? "";
  const run = runAgents(
    async (context) => {
      for (const spec of specs) await context.spawn(spec);
      const turns = asked.map(() => context.turn(asker, "go"));
      await Promise.all(turns);
      return null;
    },
    {
      backend: playedBackend(async function* ({ turn, client }) {
        const { tool, input } = asked[turn - 1] ?? bash("");
        await client.requestPermission(tool, input);
        yield said("ok");
      }),
    },
  );
  const decided: (string | undefined)[] = [];
  for (const _ of asked) {
    await settle();
    const [id] = run.owned.state.inbox.keys();
    const policy = run.all("permission-resolved").find(({ by }) => by === "policy");
    decided.push(id === undefined ? policy?.decision : "ask");
    if (id === undefined) break;
    await run.owned.command({ kind: "resolve-permission", id, decision: "denied" }, "user");
  }
  run.owned.interrupt(130);
  await run.owned.parted;
  return decided;
}

test("what a person allows for the rest of the run is not asked again: that agent, that tool, that text alone [AGT-10]", async () => {
  const backend = askingFor({
    a: [bash("ls"), bash("ls"), bash("ls -l"), { tool: "Other", input: { command: "ls" } }],
    b: [bash("ls")],
  });
  const run = runAgents(
    async (context: Context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id));
      return [(await context.turn("a", "go")).text, (await context.turn("b", "go")).text];
    },
    { backend },
  );
  const decide = async (always?: true) => {
    await settle();
    const [id = ""] = run.owned.state.inbox.keys();
    const more = always === undefined ? {} : { always };
    await run.owned.command(
      { kind: "resolve-permission", id, decision: "allowed", ...more },
      "ann",
    );
  };
  await decide(true);
  for (let others = 0; others < 3; others += 1) await decide();
  expect(await run.over()).toEqual([
    "allowed\nallowed: rule Bash(ls), allowed for this run\nallowed\nallowed",
    "allowed",
  ]);
  expect(run.all("permission-requested").map(({ ruling, rule }) => [ruling, rule])).toEqual([
    [undefined, undefined],
    ["allowed", "Bash(ls), allowed for this run"],
    ...[
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ],
  ]);
});

test("a turn may do what its message names and no more, whatever else is allowed [AGT-10, CHAT-1.more]", async () => {
  const backend = askingFor({ a: [bash("git add x"), bash("ls"), edit("a.ts")] });
  const run = runAgents(
    async (context: Context) => {
      await context.spawn(agent("a", { session: "keep", permissionMode: "bypass" }));
      await context.approval({ message: "Go on?" });
      return null;
    },
    { backend },
  );
  await settle();
  const terms = { tools: ["Bash(git add *)", "Read"] };
  await run.owned.command({ kind: "send", text: "go", to: ["a"], key: "k", terms }, "ann");
  await settle();
  const named = "rule Bash(git add *), Read";
  expect(run.all("turn-completed").map(({ text }) => text)).toEqual([
    `allowed\ndenied: ${named}\ndenied: ${named}`,
  ]);
  run.owned.interrupt(130);
  await run.owned.parted;
});

test("whoever works in the background, or was spawned there, is denied what a person would be asked about [SUB-9, AGT-10]", async () => {
  const background = agent("a", { subagent: "background" });
  const child = agent("b", { spawnedBy: "a", reportsTo: "a" });
  const backend = askingFor({ a: [bash("ls"), { tool: "TodoWrite", input: {} }], b: [bash("ls")] });
  const run = runAgents(
    async (context: Context) => {
      for (const spec of [background, child]) await context.spawn(spec);
      for (const id of ["b", "a"]) await context.turn(id, "go");
      return null;
    },
    { backend },
  );
  await settle();
  const denied = "denied: it works in the background, where nobody is asked";
  expect(run.all("turn-completed").map(({ text }) => text)).toEqual([denied, `${denied}\nallowed`]);
  run.owned.interrupt(130);
  await run.owned.parted;
});

test("paths count from the directory of the agent, else from that of the run [AGT-10]", async () => {
  const mode = { permissionMode: "accept-edits" } as const;
  expect(await answersOf([agent("a", { ...mode, cwd: "/far" })], [edit("/far/a.ts")])).toEqual([
    "allowed",
  ]);
  expect(
    await answersOf([agent("a", { ...mode, cwd: "/far" })], [edit(`${process.cwd()}/a.ts`)]),
  ).toEqual(["ask"]);
  expect(await answersOf([agent("a", mode)], [edit(`${process.cwd()}/a.ts`)])).toEqual(["allowed"]);
});

test("an agent may no more than those above it [AGT-10]", async () => {
  const bypass = { permissionMode: "bypass" } as const;
  const child = agent("b", { ...bypass, spawnedBy: "a", reportsTo: "a" });
  expect(await answersOf([agent("a", bypass), child], [bash("ls")])).toEqual(["allowed"]);
  expect(await answersOf([agent("a", { permissionMode: "plan" }), child], [bash("ls")])).toEqual([
    "denied",
  ]);
  expect(await answersOf([agent("a"), child], [bash("ls")])).toEqual(["ask"]);
});
