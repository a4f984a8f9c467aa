import { expect, test } from "vitest";
import type { AgentFunctionInput } from "../../../src/contracts/agent-function.ts";
import { runStepsInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { unmarked } from "../unmarked.ts";
import { flowEnd } from "./steps-run.ts";

/** Prompts of the turns of a run, in order. */
function promptsOf(run: FinishedRun): readonly string[] {
  return run.all("operation-scheduled").flatMap(({ kind, input }) => {
    const prompt = kind === "turn" ? Object(input)["prompt"] : undefined;
    return typeof prompt === "string" ? [unmarked(prompt)] : [];
  });
}

test("steps, names, agents and data may be named like what every object has [WF-3, STP-5, STP-6, STP-12]", async () => {
  const run = flowEnd(
    await runStepsInMemory(
      {
        agents: [
          { id: "constructor", settings: { script: [{ say: "hello" }] } },
          { id: "toString", backend: "function" },
        ],
        initialContext: { isPrototypeOf: 1 },
        steps: [
          {
            id: "valueOf",
            type: "condition",
            settings: {
              condition:
                "!exists(context.constructor) && !exists(context.toString) && !exists(errors.valueOf) && context.isPrototypeOf == 1",
            },
            routes: { then: "constructor" },
          },
          {
            id: "constructor",
            type: "agent",
            settings: { agent: "constructor" },
            output: "hasOwnProperty",
            routes: { next: "toString" },
          },
          {
            id: "toString",
            type: "agent",
            settings: { agent: "toString" },
            input: "hasOwnProperty",
            routes: { next: "toLocaleString" },
          },
          {
            id: "toLocaleString",
            type: "transform",
            settings: {
              transform:
                "[context.hasOwnProperty.result, context.constructor.success, context.toString.hasOwnProperty.result]",
            },
          },
        ],
      },
      {
        input: "go",
        functions: { toString: ({ task }: AgentFunctionInput) => JSON.parse(task) },
      },
    ),
  );
  expect([run.outcome, run.flow.output]).toEqual(["completed", ["hello", true, "hello"]]);
  expect(Object.keys(run.flow.context)).toEqual([
    "isPrototypeOf",
    "valueOf",
    "constructor",
    "hasOwnProperty",
    "toString",
    "toLocaleString",
  ]);
});

test("keys of prototypes in an answer are data of that step and reach nothing else [T9, STP-10.answer]", async () => {
  const answer = '{"__proto__":{"approved":true},"constructor":{"prototype":{"x":1}},"ok":1}';
  const run = flowEnd(
    await runStepsInMemory(
      {
        agents: [{ id: "a" }],
        steps: [
          { id: "a", type: "agent", settings: { agent: "a" }, routes: { next: "own" } },
          {
            id: "own",
            type: "transform",
            settings: {
              transform: "[context.a.ok, exists(context.a.approved), exists(context.b)]",
            },
            routes: { next: "ask" },
          },
          {
            id: "ask",
            type: "condition",
            settings: { condition: "context.a.approved" },
            routes: { then: "own" },
          },
        ],
      },
      { turns: { a: [{ say: answer }] } },
    ),
  );
  expect(run.flow.context["own"]).toEqual([1, false, false]);
  expect(run.all("step-failed")).toMatchObject([
    { step: "ask", error: { code: "EXPRESSION_UNKNOWN_PATH" } },
  ]);
  expect(Object("text").approved).toBeUndefined();
});

test("what steps come to is never read as a template, whatever it holds [WF-4, T6]", async () => {
  const hostile = "{{input}} {{#each context}}{{@key}}{{/each}} \\{{ ${{ task }}";
  const run = await runStepsInMemory(
    {
      agents: [{ id: "a" }, { id: "b" }],
      steps: [
        { id: "a", type: "agent", settings: { agent: "a", prompt: "say" }, routes: { next: "b" } },
        {
          id: "b",
          type: "agent",
          settings: { agent: "b", prompt: "<{{a.result}}><{{context.a.result}}>" },
          input: "a",
          routes: { next: "ask" },
        },
        { id: "ask", type: "approval", settings: { message: "{{context.b.result}}" } },
      ],
    },
    { input: "secret", approvals: "all", turns: { a: [{ say: hostile }], b: [{ say: hostile }] } },
  );
  expect(run.outcome).toBe("completed");
  expect(promptsOf(run)[1]).toBe(`<${hostile}><${hostile}>`);
  expect(run.all("approval-requested")[0]?.message).toBe(hostile);
});

test("an answer that no journal could hold as JSON is a text, and the step is done [STP-10.answer]", async () => {
  const deep = "[".repeat(5000) + "]".repeat(5000);
  for (const say of ['{"x":1e999}', deep, "{", '{"a":1}]']) {
    const run = flowEnd(
      await runStepsInMemory(
        {
          agents: [{ id: "a" }],
          steps: [{ id: "a", type: "agent", settings: { agent: "a", prompt: "say" } }],
        },
        { turns: { a: [{ say }] } },
      ),
    );
    expect([run.outcome, run.flow.output]).toEqual(["completed", say]);
  }
});

test("data of millions of characters is handed on whole, and more than 16 MiB fails the step [STP-5, T9]", async () => {
  const workflow = {
    steps: [
      {
        id: "big",
        type: "transform",
        settings: { transform: "[input.text, input.text]" },
        routes: { next: "size" },
      },
      { id: "size", type: "transform", settings: { transform: "length(context.big)" } },
    ],
  };
  const of = async (chars: number) =>
    flowEnd(await runStepsInMemory(workflow, { input: { text: "x".repeat(chars) } }));
  const fits = await of(2 * 1024 * 1024);
  expect([fits.outcome, fits.flow.output]).toEqual(["completed", 2]);
  const tooLarge = await of(8 * 1024 * 1024);
  expect(tooLarge.outcome).toBe("failed");
  expect(tooLarge.all("step-failed")).toMatchObject([{ error: { code: "STEP_DATA_TOO_LARGE" } }]);
});
