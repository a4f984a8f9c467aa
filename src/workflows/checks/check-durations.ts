import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { durationMalformed } from "./errors.ts";
import type { LocatedText } from "./file-view.ts";
import { labelOf, listAt, textAt } from "./file-view.ts";

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
