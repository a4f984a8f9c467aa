import { expect, test } from "vitest";
import { defineTestWorkflow } from "../../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../../src/testing/journal-cuts.ts";
import { type FamilyOptions, outputOf, resumeFamily, startFamily } from "./family.ts";

const chain = defineTestWorkflow({
  name: "chain",
  pattern: "pipeline",
  agents: [
    { id: "first", backend: "function" },
    { id: "second", backend: "function" },
  ],
  steps: [
    { id: "first", prompt: "${{ task }}" },
    { id: "second", prompt: "go on" },
  ],
});

/** Counts what agents have done, by the key of the attempt. */
function counting(done: Map<string, number>): FamilyOptions {
  const work =
    (name: string) =>
    ({ key }: { readonly key: string }) => {
      done.set(key, (done.get(key) ?? 0) + 1);
      return name;
    };
  return {
    workflows: { chain },
    functions: { first: work("one"), second: work("two") },
    program: async (context) => {
      const one = (name: string) =>
        context.scope(name, (scope) => scope.child({ workflow: "chain", input: name })).result;
      const both = await Promise.all([one("left"), one("right")]);
      const last = await context.child({ workflow: "chain", input: "last" });
      return [...both, last].map(({ outcome, run }) => `${run} ${outcome}`);
    },
  };
}

test("killed after any commit of a parent or a child, a run comes to the same and repeats nothing [ENG-12, ENG-2]", async () => {
  const store = createCuttableStore();
  const done = new Map<string, number>();
  const whole = await startFamily({ ...counting(done), store });
  const expected = outputOf((await whole.root.over()).state);
  const keys = [...done.keys()].sort();
  expect(keys).toHaveLength(6);
  expect(store.moments).toBeGreaterThan(15);
  for (let moment = 1; moment < store.moments; moment += 1) {
    const cut = await store.cutAt(moment);
    const again = new Map<string, number>();
    const finished = new Set(
      [...store.list()]
        .filter((run) => cut.list().includes(run))
        .flatMap((run) => settledTurns(cut, run)),
    );
    const resumed = await resumeFamily({ ...counting(again), store: cut });
    const over = await resumed.root.over();
    expect(outputOf(over.state), `cut at ${moment}`).toEqual(expected);
    for (const key of again.keys()) {
      expect(keys).toContain(key);
      expect(finished, `cut at ${moment}`).not.toContain(key);
    }
  }
});

/** The keys of turns whose outcome is recorded. */
function settledTurns(
  store: ReturnType<typeof createCuttableStore>,
  run: string,
): readonly string[] {
  const journal = store.open(run, "read");
  return [...journal.read()].flatMap((event) =>
    event.type === "operation-settled" && event.op.includes("turn") ? [`${run}/${event.op}`] : [],
  );
}
