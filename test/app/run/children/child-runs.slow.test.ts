import { expect, test } from "vitest";
import { commandRun } from "../../../../src/app/run/commands/command-run.ts";
import { resumeOnMachine } from "../../../../src/app/run/resume-run.ts";
import { inspectRun } from "../../../../src/app/runs/run-lookup.ts";
import { waitingItems } from "../../../../src/fold/waiting.ts";
import type { Json } from "../../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../../src/journal/memory-store.ts";
import { defineTestWorkflow } from "../../../../src/testing/define-test-workflow.ts";
import { defineStepWorkflow } from "../../../../src/testing/run-workflow-in-memory.ts";
import { type FamilyOptions, outputOf, resumeFamily, startFamily } from "./family.ts";

const echo = defineTestWorkflow({
  name: "echo",
  agents: [{ id: "speaker", backend: "function" }],
  steps: [{ id: "speaker", prompt: "{{task}}" }],
});

const asking = defineTestWorkflow({
  name: "asking",
  agents: [{ id: "asker" }],
  steps: [{ id: "asker", prompt: "ask" }],
});
const ASKS = {
  asker: [{ do: [{ permission: { tool: "Bash", input: { command: "ls" } } }], say: "DONE: ok" }],
};

test("a workflow runs another one as a child with a journal of its own, linked both ways [ENG-12]", async () => {
  const family = await startFamily({
    workflows: { echo },
    functions: { speaker: ({ task }) => `heard ${task}` },
    program: async (context) => {
      const child = await context.child({ workflow: "echo", input: "hello" });
      return { outcome: child.outcome, run: child.run };
    },
  });
  const over = await family.root.over();
  expect(over.outcome).toBe("completed");
  const [child] = family.children();
  expect(child?.run).toMatchObject({
    workflow: "echo",
    task: "hello",
    parent: { run: "run_parent", op: "child#1" },
  });
  expect(over.all("child-started")).toMatchObject([{ child: child?.run.id, op: "child#1" }]);
  expect(over.all("child-ended")).toMatchObject([{ child: child?.run.id, outcome: "completed" }]);
  expect(outputOf(over.state)).toEqual({ outcome: "completed", run: child?.run.id });
});

test("a text is the task of a child, an object holds its params, and what does not fit fails the operation [ENG-12]", async () => {
  const params = { who: { type: "string", required: true } } as const;
  const greet = defineTestWorkflow({
    name: "greet",
    params,
    agents: [{ id: "speaker", backend: "function" }],
    steps: [{ id: "speaker", prompt: "hello ${{ params.who }}" }],
  });
  const codes: unknown[] = [];
  const family = await startFamily({
    workflows: { echo, greet },
    functions: { speaker: ({ task }) => `heard ${task}` },
    program: async (context) => {
      const tryIt = async (workflow: string, input: Json) => {
        try {
          codes.push((await context.child({ workflow, input })).outcome);
        } catch (error) {
          codes.push(error instanceof Error && "code" in error ? error.code : error);
        }
      };
      await tryIt("greet", { who: "you" });
      await tryIt("greet", { whom: "you" });
      await tryIt("echo", [1]);
      await tryIt("echoo", "x");
      return null;
    },
  });
  await family.root.over();
  expect(codes).toEqual([
    "completed",
    "WORKFLOW_PARAM_UNKNOWN",
    "WORKFLOW_CHILD_INPUT",
    "WORKFLOW_CHILD_UNKNOWN",
  ]);
  expect(family.children().map(({ run }) => run.params)).toEqual([{ who: "you" }]);
});

const twoAsking: FamilyOptions = {
  workflows: { asking },
  turns: ASKS,
  suspendsWhenWaiting: true,
  program: async (context) => {
    const one = (name: string) =>
      context.scope(name, (scope) => scope.child({ workflow: "asking", input: null })).result;
    const [left, right] = await Promise.all([one("left"), one("right")]);
    return [left.outcome, right.outcome];
  },
};

test("a run whose children wait for people waits too, names what they ask, and goes on with their answers [ENG-12]", async () => {
  const store = createMemoryStore();
  const first = await startFamily({ ...twoAsking, store });
  const { parting } = await first.root.over();
  const [left, right] = first.children();
  expect(parting).toMatchObject({ status: "suspended", event: { reason: "waiting", exitCode: 3 } });
  const items = waitingItems(first.root.run.state);
  expect(items.map(({ kind, run }) => ({ kind, run }))).toEqual([
    { kind: "permission", run: left?.run.id },
    { kind: "permission", run: right?.run.id },
  ]);
  expect(left?.phase).toMatchObject({ status: "suspended", reason: "waiting" });
  const decided = await commandRun(first.machine, left?.run.id ?? "", {
    command: { kind: "resolve-permission", id: items[0]?.id ?? "", decision: "allowed" },
  });
  expect(decided.status).toBe("recorded");

  const second = await resumeFamily({ ...twoAsking, store });
  const again = await second.root.over();
  expect(again.outcome).toBe("suspended");
  const [rest, ...others] = waitingItems(again.state);
  expect([rest?.run, ...others]).toEqual([right?.run.id]);
  await commandRun(first.machine, right?.run.id ?? "", {
    command: { kind: "resolve-permission", id: rest?.id ?? "", decision: "denied" },
  });

  const third = await resumeFamily({ ...twoAsking, store });
  const done = await third.root.over();
  expect(outputOf(done.state)).toEqual(["completed", "completed"]);
  expect(waitingItems(done.state)).toEqual([]);
});

test("a child is not resumed or paused without the run above it [ENG-12]", async () => {
  const store = createMemoryStore();
  const family = await startFamily({ ...twoAsking, store });
  await family.root.over();
  const [left] = family.children();
  const id = left?.run.id ?? "";
  await expect(resumeOnMachine(family.machine, id)).rejects.toMatchObject({
    code: "RUN_HAS_PARENT",
    hint: "do that with the whole: troupe resume run_parent",
  });
});

/** A child that hangs until it is ended; `begun` resolves when its agent works. */
function hanging() {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const ended: unknown[] = [];
  const speaker = ({ signal }: { readonly signal: AbortSignal }) => {
    resolve();
    return new Promise<string>((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        ended.push("ended");
        reject(new Error("ended"));
      }),
    );
  };
  return { begun, ended, speaker };
}

test("a cancelled operation cancels its child, and the run goes on when all of it has ended [ENG-12, ENG-6]", async () => {
  const { begun, ended, speaker } = hanging();
  const family = await startFamily({
    workflows: { echo },
    functions: { speaker },
    program: async (context) => {
      const branch = context.scope("branch", (scope) =>
        scope.child({ workflow: "echo", input: "x" }),
      );
      await context.step("wait", async () => {
        await begun;
        return null;
      });
      branch.cancel("not needed any more");
      return branch.result.then(
        () => "came back",
        () => "cancelled",
      );
    },
  });
  const over = await family.root.over();
  expect(outputOf(over.state)).toBe("cancelled");
  expect(ended).toEqual(["ended"]);
  expect(family.children().map(({ phase }) => phase)).toMatchObject([
    { status: "ended", outcome: "cancelled", reason: "not needed any more" },
  ]);
  expect(over.all("child-ended")).toMatchObject([{ outcome: "cancelled" }]);
});

test("cancelling a run ends its children with it [ENG-12, ENG-6]", async () => {
  const { begun, ended, speaker } = hanging();
  const family = await startFamily({
    workflows: { echo },
    functions: { speaker },
    program: async (context) => {
      await context.child({ workflow: "echo", input: "x" });
      return null;
    },
  });
  await begun;
  await family.root.run.cancel("enough");
  expect(ended).toEqual(["ended"]);
  expect(family.root.run.state.phase).toMatchObject({ status: "ended", outcome: "cancelled" });
  expect(family.children()[0]?.phase).toMatchObject({ status: "ended", outcome: "cancelled" });
});

test("a child that nobody carries out is ended with the run that wanted it [ENG-12, USE-2]", async () => {
  const store = createMemoryStore();
  const { begun, speaker } = hanging();
  const options: FamilyOptions = {
    workflows: { echo },
    functions: { speaker },
    program: async (context) => {
      await context.child({ workflow: "echo", input: "x" });
      return null;
    },
  };
  const first = await startFamily({ ...options, store });
  await begun;
  await first.root.run.suspend();
  const [child] = first.children();
  expect(child?.phase).toMatchObject({ status: "suspended", reason: "interrupted" });
  const command = { kind: "cancel", reason: "enough" } as const;
  const receipt = await commandRun(first.machine, "run_parent", { command });
  expect(receipt).toMatchObject({ status: "ended", outcome: "cancelled" });
  expect(inspectRun(first.machine, "run_parent").phase).toMatchObject({
    outcome: "cancelled",
    reason: "enough",
  });
  expect(first.children()[0]?.phase).toMatchObject({ status: "ended", outcome: "cancelled" });
  expect(store.list()).toHaveLength(2);
});

test("a child that was cancelled by itself is told to the run as what it came to [ENG-12]", async () => {
  const store = createMemoryStore();
  const { begun, speaker } = hanging();
  const options: FamilyOptions = {
    workflows: { echo },
    functions: { speaker },
    program: async (context) => {
      const { outcome, reason } = await context.child({ workflow: "echo", input: "x" });
      return [outcome, reason];
    },
  };
  const first = await startFamily({ ...options, store });
  await begun;
  await first.root.run.suspend();
  const id = first.children()[0]?.run.id ?? "";
  await commandRun(first.machine, id, { command: { kind: "cancel", reason: "not this one" } });
  const second = await resumeFamily({ ...options, store });
  const over = await second.root.over();
  expect(outputOf(over.state)).toEqual(["cancelled", "not this one"]);
});

test("the agents of all runs of a tree share the limit of live agents [ENG-12, LIM-1.turns]", async () => {
  const family = await startFamily({
    workflows: { echo },
    functions: { speaker: () => "x", own: () => "x" },
    spawnLimits: { maxAgents: 1 },
    program: async (context) => {
      const spec = { id: "own", backend: "function" } as const;
      await context.spawn(spec);
      const { outcome, reason } = await context.child({ workflow: "echo", input: "x" });
      return [outcome, reason];
    },
  });
  const over = await family.root.over();
  expect(outputOf(over.state)).toMatchObject([
    "failed",
    expect.stringContaining("number 2 of at most 1"),
  ]);
});

test("what a child asks outlives 20 owners under one id and is decided once [ENG-12, ENG-19]", async () => {
  const store = createMemoryStore();
  const approving: FamilyOptions = {
    workflows: {
      gate: defineStepWorkflow({
        name: "gate",
        steps: [{ id: "gate", type: "approval", settings: { message: "Ship?" } }],
      }),
    },
    suspendsWhenWaiting: true,
    program: async (context) => {
      const { outcome } = await context.child({ workflow: "gate", input: "v1" });
      return outcome;
    },
  };
  const first = await startFamily({ ...approving, store });
  const asked = waitingItems((await first.root.over()).state);
  expect(asked).toMatchObject([{ kind: "approval", text: "Ship?" }]);
  for (let restart = 0; restart < 20; restart += 1) {
    const owner = await resumeFamily({ ...approving, store });
    expect(waitingItems((await owner.root.over()).state)).toEqual(asked);
  }
  const [item] = asked;
  const approve = () =>
    commandRun(first.machine, item?.run ?? "", {
      command: { kind: "resolve-approval", approval: item?.id ?? "", decision: "approved" },
    });
  expect(await approve()).toMatchObject({ status: "recorded", root: "run_parent" });
  await expect(approve()).rejects.toMatchObject({ code: "ENGINE_ITEM_RESOLVED" });
  const last = await resumeFamily({ ...approving, store });
  const over = await last.root.over();
  expect(outputOf(over.state)).toBe("completed");
  const decided = [...last.machine.store.open(item?.run ?? "", "read").read()];
  expect(decided.filter(({ type }) => type === "approval-requested")).toHaveLength(1);
  expect(decided.filter(({ type }) => type === "approval-resolved")).toHaveLength(1);
});

test("workflows that run each other stop at the eighth level below the first [ENG-12]", async () => {
  let workflow = defineStepWorkflow({
    name: "level",
    steps: [{ id: "end", type: "transform", settings: { transform: "input" } }],
  });
  for (let level = 1; level <= 9; level += 1)
    workflow = defineStepWorkflow({
      name: "level",
      steps: [{ id: "below", type: "workflow", settings: { workflow: "below" } }],
      workflows: { below: workflow },
    });
  const family = await startFamily({
    workflows: { level: workflow },
    program: async (context) => {
      const { outcome, reason } = await context.child({ workflow: "level", input: "x" });
      return [outcome, reason];
    },
  });
  const over = await family.root.over();
  expect(outputOf(over.state)).toMatchObject([
    "failed",
    expect.stringContaining("more than 8 levels below"),
  ]);
  expect(family.machine.store.list()).toHaveLength(9);
});
