import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { durationMalformed } from "./errors.ts";
import { type LocatedText, labelOf, listAt, textAt } from "./file-view.ts";

// Longer than any run; keeps sums of times exact.
const MAX_DAYS = 365;

/** Checks that durations can be read, are longer than nothing and not absurd. */
export function checkDurations(context: CheckContext): void {
  for (const { place, duration, mayBeZero } of durations(context)) {
    if (duration === undefined) continue;
    const problem = problemOf(duration.text, mayBeZero);
    if (problem !== undefined)
      context.report(durationMalformed({ place, given: duration.text, problem }), duration.node);
  }
}

interface Duration {
  readonly place: string;
  readonly duration: LocatedText | undefined;
  readonly mayBeZero: boolean;
}

function durations({ view, spell = (key) => key }: CheckContext): readonly Duration[] {
  const options = entryOf(view.root, "options")?.node;
  const errorHandling = entryOf(view.root, "errorHandling")?.node;
  const timeout = (place: string, node: Parameters<typeof textAt>[0]): Duration => {
    return { place: `${place}.timeout`, duration: textAt(node, "timeout"), mayBeZero: false };
  };
  const wallClock = (place: string, node: Parameters<typeof textAt>[0]): Duration => {
    const duration = textAt(entryOf(node, "budget")?.node, "wallClock");
    return { place: `${place}.${spell("wallClock")}`, duration, mayBeZero: false };
  };
  return [
    timeout("options", options),
    {
      place: "errorHandling.retryDelay",
      duration: textAt(errorHandling, "retryDelay"),
      mayBeZero: true,
    },
    {
      place: "pruner.evaluationInterval",
      duration: textAt(entryOf(view.root, "pruner")?.node, "evaluationInterval"),
      mayBeZero: false,
    },
    wallClock("budget", view.root),
    { place: "options.quiet", duration: textAt(options, "quiet"), mayBeZero: false },
    ...listAt(view.root, "setup").map((task, index) => timeout(`setup.${index}`, task)),
    ...view.agents.flatMap((agent) => {
      const place = `agents.${labelOf(agent, view.agents)}`;
      const constraints = entryOf(agent.node, "constraints")?.node;
      return [
        wallClock(`${place}.budget`, agent.node),
        {
          place: `${place}.${spell("idleTimeout")}`,
          duration: textAt(agent.node, "idleTimeout"),
          mayBeZero: false,
        },
        {
          place: `${place}.constraints.${spell("maxDuration")}`,
          duration: textAt(constraints, "maxDuration"),
          mayBeZero: false,
        },
      ];
    }),
    ...view.steps.flatMap((step) => {
      const place = `steps.${labelOf(step, view.steps)}`;
      const checks = listAt(step.node, "verify");
      return [
        timeout(place, step.node),
        timeout(`${place}.compensate`, entryOf(step.node, "compensate")?.node),
        wallClock(`${place}.budget`, step.node),
        ...checks.map((check, index) => timeout(`${place}.verify.${index}`, check)),
      ];
    }),
    ...view.barriers.map((barrier) =>
      timeout(`coordination.barriers.${labelOf(barrier, view.barriers)}`, barrier.node),
    ),
  ];
}

function problemOf(text: string, mayBeZero: boolean): string | undefined {
  if (!isDuration(text)) return "is not a duration";
  const durationMs = parseDuration(text);
  if (durationMs === 0 && !mayBeZero) return "is no time at all";
  return durationMs > MAX_DAYS * 86_400_000 ? `is more than ${MAX_DAYS} days` : undefined;
}

/** Checks budgets for what a schema cannot see: that they limit something, and what the run needs. */
export function checkBudgets(context: CheckContext): void {
  const { view } = context;
  checkEmpty(context, view.root, "budget");
  for (const agent of view.agents)
    checkEmpty(context, agent.node, `agents.${labelOf(agent, view.agents)}.budget`);
  for (const step of view.steps)
    checkEmpty(context, step.node, `steps.${labelOf(step, view.steps)}.budget`);
  checkAgentCount(context);
}

function checkEmpty({ report }: CheckContext, node: SourceNode, place: string): void {
  const entry = entryOf(node, "budget");
  if (entry?.node.kind !== "map") return;
  if ([...entry.node.entries.keys()].some((key) => key !== "soft")) return;
  const hint = "add a limit, such as cost, tokens or turns, or remove it";
  report(wrongValue({ place, problem: "limits nothing", hint }), entry.keyRange);
}

/** All agents of a file are spawned at its start: a limit below their number could only stop the run there. */
function checkAgentCount({ view, report }: CheckContext): void {
  const node = entryOf(entryOf(view.root, "budget")?.node, "agents")?.node;
  if (node?.kind !== "scalar" || typeof node.value !== "number") return;
  const count = view.agents.length;
  if (!Number.isInteger(node.value) || node.value < 1 || node.value >= count) return;
  const problem = `allows ${node.value} of the ${count} agents that the workflow has`;
  const hint = `write at least ${count}`;
  report(wrongValue({ place: "budget.agents", problem, hint }), node);
}
