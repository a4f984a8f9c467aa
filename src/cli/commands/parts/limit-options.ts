import type { OptionSpec } from "../../command/command.ts";

/** What the whole run may consume; each beats the workflow's own limit. */
export const limitOptions: readonly OptionSpec[] = limits(
  { flags: "--max-cost <usd>", about: "most that the run may cost, such as 2.50" },
  { flags: "--max-tokens <number>", about: "most tokens that its agents may use" },
  { flags: "--max-turns <number>", about: "most turns that its agents may take" },
  { flags: "--max-messages <number>", about: "most messages that its agents may post" },
  { flags: "--max-agents <number>", about: "most agents that may be spawned" },
  { flags: "--max-time <duration>", about: "like --timeout, with a warning before: 2h" },
);

/** What was limited before may be more now. */
function limits(...specs: readonly OptionSpec[]): readonly OptionSpec[] {
  return specs.map((spec) => ({ ...spec, isPersonal: true }));
}
