import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentFunctionInput } from "../../../../src/contracts/agent-function.ts";
import type { Json } from "../../../../src/foundation/json.ts";
import { createCuttableStore } from "../../../../src/testing/journal-cuts.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  startStepsInMemory,
  type TestProcess,
} from "../../../../src/testing/run-workflow-in-memory.ts";
import type { TestedRun } from "../../../../src/testing/tested-run.ts";
import { casesOf } from "../../../cases.ts";
import { type FlowEnd, resumeSteps, runSteps, untilOver } from "../../flow/steps-run.ts";
import { answeringAgent, comparable } from "./flow-agents.ts";
import { cyclicCases, type FlowCase, parallelCases } from "./flow-cases.ts";
import { type Expected, FlowOracle } from "./flow-oracle.ts";
import { startsOf } from "./flow-starts.ts";

const numRuns = casesOf(800);
const timeout = 60_000 + numRuns * 1000;
const MOST_CUTS = 12;

const functions = { alpha: answeringAgent, toString: answeringAgent };

function processOf({ approvals }: FlowCase): TestProcess {
  return { approvals, functions };
}

function run(given: FlowCase, more: TestProcess = {}): Promise<FlowEnd> {
  return runSteps(given.workflow, { input: given.input, ...processOf(given), ...more });
}

/** What a run came to, as far as it must be the same every time. Keys stay in their order. */
function essenceOf({ outcome, flow }: FlowEnd): string {
  return JSON.stringify({ outcome, ...flowOf(flow) }, null, 1);
}

function flowOf({ path, context, output }: Pick<Expected, "path" | "context" | "output">) {
  const shown: Json = comparable({ context, output });
  return { path, shown };
}

function expected({ outcome, ...flow }: Expected): string {
  return JSON.stringify({ outcome, ...flowOf(flow) }, null, 1);
}

test("any graph of steps ends within its guards, and as the words of the specification say [STP-2, STP-3, STP-5, STP-6, STP-7, STP-9, STP-10.answer, STP-16, STP-18, ENG-11]", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(cyclicCases, async (given) => {
      const [first] = given.workflow.steps;
      const end = await run(given);
      expect(essenceOf(end)).toBe(expected(new FlowOracle(given).run([first?.id ?? ""])));
      const { maxIterations = 0 } = given.workflow;
      expect(end.flow.path.length).toBeLessThanOrEqual(maxIterations);
    }),
    { numRuns },
  );
});

test("steps of a parallel workflow come to the same in whatever order its paths are followed [STP-13, ENG-9, ENG-11]", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(parallelCases, async (given) => {
      const starts = startsOf(given.workflow.steps);
      fc.pre(starts !== undefined);
      const wanted = new FlowOracle(given).run(starts);
      const { outcome, flow } = await run(given);
      expect(outcome).toBe(wanted.outcome);
      expect(flow.path.toSorted()).toEqual([...wanted.path].sort());
      // Which of several steps gave the alias its data last is a matter of time.
      const { alias: _now, ...context } = flow.context;
      const { alias: _then, ...known } = wanted.context;
      expect(comparable(context)).toEqual(comparable(known));
    }),
    { numRuns },
  );
});

test("what steps side by side come to does not depend on which of them is done first [STP-7, ENG-9]", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      cyclicCases,
      fc.array(fc.nat(50), { minLength: 20 }),
      async (given, delays) => {
        const clock = createManualClock();
        let calls = 0;
        const delayed = async (input: AgentFunctionInput) => {
          const delayMs = delays[calls % delays.length] ?? 0;
          calls += 1;
          await new Promise<void>((resolve) => void clock.startTimer(delayMs, resolve));
          return answeringAgent(input);
        };
        const options = { ...processOf(given), clock, input: given.input };
        const late = { alpha: delayed, toString: delayed };
        const started = await startStepsInMemory(given.workflow, { ...options, functions: late });
        const end = await untilOver(started, clock);
        const [first] = given.workflow.steps;
        expect(essenceOf(end)).toBe(expected(new FlowOracle(given).run([first?.id ?? ""])));
      },
    ),
    { numRuns: Math.ceil(numRuns / 2) },
  );
});

test("a run that dies after any commit comes to the same end by the same path, and no answer is asked for twice [ENG-2, ENG-3, P1, P3]", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(cyclicCases, fc.nat(), async (given, offset) => {
      const store = createCuttableStore();
      const whole = await run(given, { store });
      const commits = store.commits(whole.id).slice(0, -1);
      const every = Math.ceil(commits.length / MOST_CUTS);
      for (const [index, seq] of commits.entries()) {
        if ((index + offset) % every !== 0) continue;
        const asked: string[] = [];
        const listening: typeof answeringAgent = (input) => {
          asked.push(`${input.key}@${input.attempt}`);
          return answeringAgent(input);
        };
        const resumed = await resumeSteps(whole.id, {
          ...processOf(given),
          store: await store.cutAfter(whole.id, seq),
          functions: { alpha: listening, toString: listening },
        });
        expect(essenceOf(resumed), `after event ${seq}`).toBe(essenceOf(whole));
        const ended = whole.events.filter(
          ({ type, seq: at }) => at <= seq && (type === "turn-completed" || type === "turn-failed"),
        );
        const all = whole.all("turn-completed").length + whole.all("turn-failed").length;
        expect(new Set(asked).size, `after event ${seq}`).toBe(asked.length);
        expect(asked.length, `after event ${seq}`).toBe(all - ended.length);
      }
    }),
    { numRuns: Math.ceil(numRuns / 5) },
  );
});

test("a run that is let go again and again comes to the same end by the same path [ENG-18, ENG-2]", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      cyclicCases,
      fc.array(fc.integer({ min: 1, max: 12 })),
      async (given, stops) => {
        const wanted = essenceOf(await run(given));
        const clock = createManualClock();
        const store = createCuttableStore();
        const options = { ...processOf(given), clock, store };
        let tested = await startStepsInMemory(given.workflow, { ...options, input: given.input });
        for (const stop of [...stops, Infinity]) {
          const [end] = await Promise.all([untilOver(tested, clock), letGoAfter(tested, stop)]);
          if (end.outcome !== "suspended") {
            expect(essenceOf(end)).toBe(wanted);
            return;
          }
          tested = await resumeInMemory(tested.run.id, options);
        }
      },
    ),
    { numRuns: Math.ceil(numRuns / 5) },
  );
});

/** Lets go of the run after so many events of this process. */
async function letGoAfter({ run: live }: TestedRun, eventCount: number): Promise<void> {
  let seen = 0;
  for await (const _ of live.events) {
    seen += 1;
    if (seen === eventCount) await live.suspend();
  }
}
