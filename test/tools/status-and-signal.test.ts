import { expect, test } from "vitest";
import { answersTo, call, oneTurnEach, runScripts, turnOf } from "./tools-run.ts";

test("the status that an agent sets is journaled and shown to others until it takes it back", async () => {
  const run = runScripts(
    [
      {
        id: "a",
        script: [
          turnOf(
            call("status_set", { status: " running\n the tests " }),
            call("status_set", { status: "running the tests" }),
            call("status_set", { status: "x".repeat(201) }),
          ),
          turnOf(call("status_set", { status: "" })),
        ],
      },
      { id: "b", script: [turnOf(call("agents_list"))] },
    ],
    oneTurnEach("a", "b", "a", "b"),
  );
  await run.over();
  expect(run.all("status-set").map(({ agent, turn, text }) => [agent, turn, text])).toEqual([
    ["a", 1, "running the tests"],
    ["a", 2, ""],
  ]);
  const [shown, gone] = answersTo(run, "b").map(({ result }) => result);
  const self = { id: "b", name: "b", status: "working" };
  expect(shown).toEqual({
    you: "b",
    agents: [{ id: "a", name: "a", status: "idle", status_text: "running the tests" }, self],
  });
  expect(gone).toEqual({ you: "b", agents: [{ id: "a", name: "a", status: "idle" }, self] });
});

test("a signal given by tool counts before the text; a refused one says why [SIG-2, SIG-9, MCP-1.tools]", async () => {
  const run = runScripts(
    [
      {
        id: "a",
        script: [
          {
            do: [
              call("signal", { kind: "vote", value: "perhaps" }),
              call("signal", { kind: "shipit" }),
              call("signal", { kind: "done", value: "by tool", confidence: 0.5 }),
            ],
            say: "DONE: by text",
          },
        ],
      },
    ],
    async (context) => {
      const { signals } = await context.turn("a", "go", { expects: "READY" });
      return signals.map((signal) => ({ ...signal }));
    },
  );
  expect(await run.over()).toEqual([
    { kind: "done", value: "by tool", confidence: 0.5, by: "tool" },
  ]);
  expect(answersTo(run, "a")).toEqual([
    {
      tool: "signal",
      isError: true,
      result:
        'AGENT_SIGNAL_REFUSED: signal "vote" does not count: a vote is approve or reject, got "perhaps"\ncorrect it and call signal again',
    },
    {
      tool: "signal",
      isError: true,
      result: expect.stringMatching(/unknown kind "shipit"; known: READY, done, /),
    },
    { tool: "signal", isError: false, result: { counted: true, kind: "done" } },
  ]);
});
