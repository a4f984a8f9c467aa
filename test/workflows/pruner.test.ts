import { expect, test } from "vitest";
import { load, problemsOf } from "./load-options.ts";

const flow = (pruner: string, pattern = "dag") =>
  `name: f\npattern: ${pattern}\nagents: [{ id: a }, { id: judge }]\nsteps: [{ id: s, agent: a, prompt: x }]\npruner: { ${pruner} }\n`;

test("a pruner comes into the definition with its defaults, and its evaluator is no unused agent [PRM-pruner, PRM-files-2.pruner]", () => {
  const pruner = (text: string) => load(flow(text)).definition?.pruner;
  expect(problemsOf(flow("evaluator: judge, beamWidth: 2"))).toEqual([]);
  expect(pruner("evaluator: Judge, beamWidth: 2")).toEqual({
    ...{ evaluator: "judge", beamWidth: 2, evaluationIntervalMs: 30_000 },
  });
  expect(pruner("evaluator: judge, pruneThreshold: 0.5, evaluationInterval: 2s")).toEqual({
    ...{ evaluator: "judge", pruneThreshold: 0.5, evaluationIntervalMs: 2000 },
  });
});

test.each([
  [
    "evaluator: judge",
    "dag",
    "WORKFLOW_VALUE 5:1 pruner has neither pruneThreshold nor beamWidth, so nothing would ever be cut off",
  ],
  [
    "evaluator: nobody, beamWidth: 1",
    "dag",
    expect.stringMatching(/^WORKFLOW_UNKNOWN_AGENT 5:22 pruner asks agent "nobody"/),
  ],
  [
    "evaluator: judge, beamWidth: 1, evaluationInterval: 0s",
    "dag",
    'WORKFLOW_DURATION 5:63 pruner.evaluationInterval: "0s" is no time at all',
  ],
  [
    "evaluator: judge, beamWidth: 1",
    "pipeline",
    "WORKFLOW_VALUE 5:1 pruner has no meaning in pipeline, which has no branches",
  ],
])(
  "pruner: { %s } in %s is told so at its place [PRM-pruner, WF-2.load]",
  (text, pattern, problem) => {
    expect(problemsOf(flow(text, pattern))).toContainEqual(problem);
  },
);
