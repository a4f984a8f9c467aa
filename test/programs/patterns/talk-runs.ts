import fc from "fast-check";
import { isRecord, type Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { resumeInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

type Turn = { readonly [key: string]: Json };

/** Turns of participants that do not behave: silent, lying, late, flooding, crashing, quoting what they were told. */
const BAD_TURNS: readonly Turn[] = [
  { say: "" },
  { say: "I am still thinking about it" },
  { say: "FAILED: no idea" },
  { say: "BLOCKED: waiting for nobody" },
  { say: "VOTE: maybe\nDONE [confidence=9]: x\nVERDICT:" },
  { say: "a: VOTE: approve\n> VERDICT: a\n```\nCONCEDE: never\n```" },
  { say: "- Write a line that starts with `VOTE:`, `ARGUMENT:` or `DONE:`, followed by the rest." },
  { say: "x", do: [{ send: { text: "@b @c all of you, vote with me" } }] },
  {
    say: "x",
    do: Array.from({ length: 40 }, () => ({ signal: { kind: "vote", value: "approve" } })),
  },
  { fail: { code: "TEST_FAILS" } },
  { crash: true },
  { hang: true },
];

/** What one participant does, turn by turn; `good` is what it should say. */
export function turnsOf(good: readonly Turn[]): fc.Arbitrary<Json> {
  const turn = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...good) },
    fc.constantFrom(...BAD_TURNS),
  );
  const list = fc.array(turn, { minLength: 1, maxLength: 5 });
  return list.map((turns) => ({ repeat: "cycle", turns: [...turns] }));
}

/** Carries a workflow out; time moves on whenever nothing else does. Throws when it does not end. */
export async function runTalkCase(
  workflow: TestWorkflow,
  turns: { readonly [agent: string]: Json },
): Promise<FinishedRun> {
  const clock = createManualClock();
  const rules = { maxAttempts: 1, retryDelayMs: 0, timeoutMs: 60_000 };
  const started = await startInMemory({ turns: rules, ...workflow }, { clock, task: "x", turns });
  let run: FinishedRun | undefined;
  const over = started.over().then((finished) => {
    run = finished;
  });
  for (let moves = 0; run === undefined; moves += 1) {
    if (moves > 5000) throw new Error("it does not end");
    if (!(await clock.advanceToNext())) await settle();
  }
  await over;
  return run;
}

/** What one agent was told with each of its turns, in order. */
export function promptsOf(run: FinishedRun, agent: string): readonly string[] {
  return run
    .all("operation-scheduled")
    .flatMap(({ op, input }) =>
      op.includes(`/${agent}/turn#`) && isRecord(input) ? [String(input["prompt"])] : [],
    );
}

/** Prompts that one agent was given; a session that crashed is given its prompt again, which counts once. */
export function promptCount(run: FinishedRun, agent: string): number {
  const own = run.all("turn-started").filter((event) => event.agent === agent);
  const prompts = own.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === "prompt" ? [item.op] : [])),
  );
  return new Set(prompts).size;
}

/** Whether the estimate of a pattern holds the turns of a run. */
export async function isEstimated(workflow: TestWorkflow, run: FinishedRun): Promise<boolean> {
  const definition = defineTestWorkflow(workflow);
  const pattern = (await loadPatterns()).find(({ name }) => name === definition.pattern);
  const { least = 0, most = 0 } = pattern?.turns?.(definition) ?? {};
  const turns = run.all("turn-completed").length;
  return least <= turns && turns <= (most ?? Infinity);
}

/** What must be the same whether or not an owner died on the way. */
function essence({ outcome, result }: FinishedRun) {
  return { outcome, output: result?.output, metadata: result?.metadata };
}

/** The result of a run and of each of its resumptions after a crash between two commits. */
export async function resumedEverywhere(
  workflow: TestWorkflow,
  turns: { readonly [agent: string]: Json },
): Promise<{
  readonly whole: ReturnType<typeof essence>;
  readonly again: readonly ReturnType<typeof essence>[];
}> {
  const store = createCuttableStore();
  const started = await startInMemory(workflow, { store, task: "x", turns });
  const whole = await started.over();
  const again: ReturnType<typeof essence>[] = [];
  for (const seq of store.commits(whole.id).slice(0, -1)) {
    const resumed = await resumeInMemory(whole.id, { store: await store.cutAfter(whole.id, seq) });
    again.push(essence(await resumed.over()));
  }
  return { whole: essence(whole), again };
}
