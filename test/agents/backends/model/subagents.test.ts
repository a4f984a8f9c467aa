import { expect, test } from "vitest";
import { scriptText } from "../../../clients/model-server/script.ts";
import { modelTurn } from "./model-turn.ts";

const LEAD = { permissionMode: "bypass", session: "keep", spawns: true } as const;
const task = (args: { readonly [name: string]: string | boolean }) => ({
  tool: "Task",
  args: { description: "a task", ...args },
});

/** What each request of a model was shown, as text. */
const bodies = (calls: readonly { readonly body: string }[]) => calls.map(({ body }) => body);

test("a model gives tasks to subagents and goes on with what they answer [SUB-1, LOOP-2]", async () => {
  const work = (what: string) =>
    scriptText({ calls: [{ shell: `echo ${what} >> ledger` }] }, { text: `did ${what}` });
  const { run, calls } = await modelTurn(
    [
      {
        calls: [
          task({ prompt: work("one"), name: "first" }),
          task({ prompt: work("two"), name: "second", subagent_type: "general-purpose" }),
        ],
      },
      { text: "all done" },
    ],
    LEAD,
  );
  expect(await run.over()).toBe("all done");
  const results = run.all("tool-returned").filter(({ tool }) => tool === "Task");
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  const answers = results.map(({ result }) => JSON.parse(result));
  // Whoever is done first has answered first.
  expect(answers.find(({ agent_id: id }) => id === "first")).toEqual({
    agent_id: "first",
    result: { status: "completed", text: "did one" },
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
  });
  expect(answers.find(({ agent_id: id }) => id === "second")).toMatchObject({
    result: { text: "did two" },
  });
  expect(calls()).toHaveLength(6);
});

test("a type's tools are all that its subagent is offered; those that no subagent has are gone [SUB-3]", async () => {
  const { run, calls } = await modelTurn(
    [
      { calls: [task({ prompt: "look", subagent_type: "general-purpose", name: "sub" })] },
      { text: "ok" },
    ],
    LEAD,
  );
  await run.over();
  const toolsIn = (body: string) =>
    JSON.parse(body).tools.map(({ name }: { readonly name: string }) => name);
  const [lead = [], sub = []] = bodies(calls()).map(toolsIn);
  expect(lead).toEqual(expect.arrayContaining(["Task", "TaskOutput", "TaskStop", "Bash"]));
  expect(sub).toEqual(expect.arrayContaining(["Read", "Bash"]));
  for (const name of ["Task", "TaskOutput", "TaskStop", "spawn_agent"])
    expect(sub).not.toContain(name);
});

test("a fork begins with what its parent has said and heard, and answers for itself [SUB-4, SUB-8]", async () => {
  const { run, calls } = await modelTurn(
    [
      { text: "I remember blue.", calls: [{ shell: "echo seen" }] },
      { calls: [task({ prompt: scriptText({ text: "blue" }), fork: true, name: "twin" })] },
      { text: "ok" },
    ],
    LEAD,
  );
  await run.over();
  const fork = bodies(calls()).find((body) => body.includes("You are twin"));
  expect(fork).toContain("I remember blue.");
  expect(fork).toContain("seen");
  const [result] = run.all("tool-returned").filter(({ tool }) => tool === "Task");
  expect(JSON.parse(result?.result ?? "")).toMatchObject({ result: { text: "blue" } });
  const turns = run.all("model-called").map(({ agent, turn, call }) => `${agent} ${turn}.${call}`);
  expect(turns).toEqual(["coder 1.1", "coder 1.2", "twin 1.1", "coder 1.3"]);
});

test("what a subagent in the background answers is read by its id, and it can be stopped [SUB-6, SUB-9]", async () => {
  const { run } = await modelTurn(
    [
      {
        calls: [
          task({ prompt: scriptText({ text: "found" }), run_in_background: true, name: "a" }),
        ],
      },
      { calls: [{ tool: "TaskOutput", args: { task_id: "a", block: true } }] },
      { calls: [{ tool: "TaskStop", args: { task_id: "a" } }] },
      { text: "ok" },
    ],
    LEAD,
  );
  await run.over();
  const told = run.all("tool-returned").map(({ tool, result }) => [tool, JSON.parse(result)]);
  expect(told).toMatchObject([
    ["Task", { agent_id: "a" }],
    ["TaskOutput", { statuses: { a: { status: "completed", text: "found" } }, timed_out: false }],
    ["TaskStop", { id: "a", closed: [] }],
  ]);
});
