import type { Reporter } from "vitest/node";

/** Ends a suite with every test that was skipped, and why; a line each, by reason: `skipped: 3 without tmux`. */
export const skipReporter: Reporter = {
  onTestRunEnd(modules) {
    // One test that is run again, alone: all others are skipped for that.
    if (process.env["TROUPE_SUITE_AGAIN"] !== undefined) return;
    const reasons = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test) => {
        const result = test.result();
        const note = result.state === "skipped" ? result.note : undefined;
        return note ?? `that gave no reason: ${test.fullName}`;
      }),
    );
    for (const [reason, all] of Map.groupBy(reasons, (reason) => reason))
      process.stdout.write(`skipped: ${all.length} ${reason}\n`);
  },
};
