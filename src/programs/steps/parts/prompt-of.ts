import type { StepsDefinition } from "../../../contracts/definition.ts";

/** The template of the prompt of an agent that has one; agents may be named like what every object has. */
export function promptOf(
  { prompts }: Pick<StepsDefinition, "prompts">,
  agent: string,
): string | undefined {
  return Object.hasOwn(prompts, agent) ? prompts[agent] : undefined;
}
