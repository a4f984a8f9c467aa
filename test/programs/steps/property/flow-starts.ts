import type { TestFlowStep } from "../../../../src/testing/run-workflow-in-memory.ts";

/**
 * The first steps of the paths of a parallel workflow, each after those whose data it looks at; undefined when paths
 * wait for each other, which loading refuses.
 */
export function startsOf(steps: readonly TestFlowStep[]): readonly string[] | undefined {
  const targets = new Set(steps.flatMap(({ routes = {} }) => Object.values(routes)));
  const starts = steps.filter(({ id }) => !targets.has(id));
  const paths = starts.map((start) => ({ start: start.id, steps: pathFrom(start, steps) }));
  const done: string[] = [];
  for (let open = paths; open.length > 0; ) {
    const ready = open.find(({ steps: own }) =>
      open.every((other) => other.steps === own || !own.some((step) => looksAt(step, other.steps))),
    );
    if (ready === undefined) return undefined;
    done.push(ready.start);
    open = open.filter((path) => path !== ready);
  }
  return done;
}

function pathFrom(start: TestFlowStep, steps: readonly TestFlowStep[]): readonly TestFlowStep[] {
  const path: TestFlowStep[] = [];
  for (let step: TestFlowStep | undefined = start; step !== undefined; ) {
    path.push(step);
    const [next]: readonly string[] = Object.values(step.routes ?? {});
    step = steps.find(({ id }) => id === next);
  }
  return path;
}

function looksAt(step: TestFlowStep, others: readonly TestFlowStep[]): boolean {
  const text = JSON.stringify(step);
  return others.some(({ id }) =>
    new RegExp(`(?:context\\.|errors\\.|"input":")${id}(?![\\w-])`).test(text),
  );
}
