import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { entryOf, type SourceRange, textUnder } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { roleUnfit, routeTestUnknown } from "./errors.ts";

/** Checks that those who take part are what the pattern needs: one hub, voters, parents that exist. */
export function checkMembers(context: CheckContext, definition: PatternDefinition): void {
  const { pattern, report } = context;
  for (const fault of pattern?.check?.(definition) ?? []) {
    const { problem, hint = "" } = fault;
    report(roleUnfit({ problem, hint }), placeOf(context, fault));
  }
  const { routeTests: known } = context.options;
  for (const test of pattern?.tests?.(definition) ?? [])
    if (known?.includes(test) === false)
      report(routeTestUnknown({ test, known }), placeOfTest(context, test));
}

/** Where the route stands that asks it. */
function placeOfTest(context: CheckContext, test: string): SourceRange {
  const { view, pattern } = context;
  const block = pattern === undefined ? undefined : entryOf(view.root, blockKeyOf(pattern));
  const text = block === undefined ? undefined : textUnder(block.node, "test", test);
  return text ?? placeOf(context, { key: "routes" });
}

/** The key of the block, the agent, or the pattern. */
function placeOf(
  { view, pattern }: CheckContext,
  { agent, key }: Pick<PatternFault, "agent" | "key">,
): SourceRange {
  const block = pattern === undefined ? undefined : entryOf(view.root, blockKeyOf(pattern));
  const entry = key === undefined ? undefined : entryOf(block?.node, key);
  const member = agent === undefined ? undefined : view.agents.find(({ id }) => id === agent);
  const whole = entryOf(view.root, "pattern");
  return entry?.keyRange ?? member?.idRange ?? block?.keyRange ?? whole?.node ?? view.root;
}
