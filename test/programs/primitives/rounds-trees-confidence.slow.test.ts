import fc from "fast-check";
import { expect, test } from "vitest";
import { hierarchicalPattern } from "../../../src/programs/patterns/hierarchical.ts";
import { readSignals } from "../../../src/signals/read-signals.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };

test("a round is over when each that still takes part has spoken in it, and not before; who has left is not waited for [PRM-rounds]", async () => {
  const works = [{ say: "I work" }, { say: "I work on" }, { say: "DONE: mine" }];
  const run = await runWorkflowInMemory(
    { pattern: "mesh", agents: ["a", "b", "c"].map((id) => ({ id })), turns },
    { task: "go", turns: { a: works, b: [{ say: "FAILED: ill" }], c: works } },
  );
  const rounds: { readonly over: unknown; readonly spoken: readonly string[] }[] = [];
  let spoken: string[] = [];
  for (const event of run.events) {
    if (event.type === "turn-completed" || event.type === "turn-failed") spoken.push(event.agent);
    if (event.type !== "pattern-advanced" || event.kind !== "round") continue;
    rounds.push({ over: event.data, spoken: spoken.toSorted() });
    spoken = [];
  }
  expect(rounds).toMatchObject([
    { over: { round: 1 }, spoken: ["a", "b", "c"] },
    { over: { round: 2 }, spoken: ["a", "c"] },
    { over: { round: 3 }, spoken: ["a", "c"] },
  ]);
  expect(spoken).toEqual([]);
});

test("a confidence is read from its signal, and none that is no share counts [PRM-confidence]", () => {
  const read = (tag: string) => readSignals(`DONE ${tag}: yes`);
  fc.assert(
    fc.property(fc.integer({ min: -300, max: 300 }), (hundredths) => {
      const share = hundredths / 100;
      const { signals, refused } = read(`[confidence=${share}]`);
      const counts = share >= 0 && share <= 1;
      expect(signals.map(({ confidence }) => confidence)).toEqual(counts ? [share] : []);
      expect(refused).toHaveLength(counts ? 0 : 1);
    }),
  );
  expect(read("[confidence=high]").signals).toEqual([]);
});

test("an answer is accepted exactly from the threshold on; without a confidence it counts as 0 [PRM-confidence]", async () => {
  const shares = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
  const pairs = fc.record({ given: fc.option(shares, { nil: undefined }), threshold: shares });
  await fc.assert(
    fc.asyncProperty(pairs, async ({ given, threshold }) => {
      const tag = given === undefined ? "" : ` [confidence=${given}]`;
      const run = await runWorkflowInMemory(
        {
          pattern: "cascade",
          agents: [{ id: "small" }, { id: "large" }],
          turns,
          options: {
            tiers: [{ agent: "small", confidenceThreshold: threshold }, { agent: "large" }],
          },
        },
        { task: "?", turns: { small: [{ say: `DONE${tag}: a` }], large: [{ say: "DONE: b" }] } },
      );
      const isAccepted = (given ?? 0) >= threshold;
      expect(run.result?.output).toBe(isAccepted ? "a" : "b");
    }),
    { numRuns: 25 },
  );
});

/** Who each agent reports to, by number; undefined: nobody. */
const superiors = fc.array(fc.option(fc.nat(5), { nil: undefined }), {
  minLength: 1,
  maxLength: 6,
});
const idOf = (index: number) => `a${index}`;

function treeOf(above: readonly (number | undefined)[]) {
  const agents = above.map((superior, index) =>
    superior === undefined ? { id: idOf(index) } : { id: idOf(index), reportsTo: idOf(superior) },
  );
  return defineTestWorkflow({ pattern: "hierarchical", agents });
}

/** Whether there is one root, and every way up ends at it: tried out, way by way. */
function isTree(above: readonly (number | undefined)[]): boolean {
  const roots = above.filter((superior) => superior === undefined);
  const endsAtRoot = (start: number) => {
    let at: number | undefined = start;
    for (let step = 0; step <= above.length; step += 1) {
      if (at === undefined) return true;
      if (at >= above.length) return false;
      at = above[at];
    }
    return false;
  };
  return roots.length === 1 && above.every((_, index) => endsAtRoot(index));
}

test("who reports to whom is a tree exactly if there is one root and no way up misses it [PRM-tree]", () => {
  fc.assert(
    fc.property(superiors, (above) => {
      expect(hierarchicalPattern.check?.(treeOf(above))?.length === 0).toBe(isTree(above));
    }),
    { numRuns: 500 },
  );
});

test("a tree says who reports to whom: each below its superior, and may write to it and to its own [PRM-tree]", () => {
  fc.assert(
    fc.property(superiors.filter(isTree), (above) => {
      const definition = treeOf(above);
      const pairs = (hierarchicalPattern.links?.(definition) ?? []).map(({ from, to }) => [
        from,
        to,
      ]);
      const declared = above.flatMap((superior, index) =>
        superior === undefined ? [] : [[idOf(superior), idOf(index)]],
      );
      expect(pairs.toSorted()).toEqual(declared.toSorted());
      for (const { id, writesTo = [] } of hierarchicalPattern.members?.(definition) ?? [])
        for (const [superior, worker] of declared) {
          if (worker === id) expect(writesTo).toContain(superior);
          if (superior === id) expect(writesTo).toContain(worker);
        }
    }),
    { numRuns: 300 },
  );
});
