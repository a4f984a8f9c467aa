import type { AgentSpec } from "../../contracts/agent.ts";
import {
  DEFAULT_REFLECTION_THRESHOLD,
  type ReflectionFunctions,
  type ReflectionSpec,
} from "../../contracts/reflection.ts";
import { present } from "../../foundation/present.ts";

/** What is written of reflection, in a file or in code. */
export interface WrittenReflection {
  /** Defaults to true. */
  readonly enabled?: boolean | undefined;
  /** Importance of what was said, 1 to 10 for each message, after which it is time to reflect; 0: never. Defaults to 50. */
  readonly threshold?: number | undefined;
  /** Id of the agent that reflects. Defaults to the lead, else Troupe itself. */
  readonly reflector?: string | undefined;
  /** What the reflector is asked, in place of Troupe's words. */
  readonly prompt?: string | undefined;
  /** Id of the agent that says how important messages are. Defaults to their words. */
  readonly scorer?: string | undefined;
}

/** The same, with the functions that are given in code. */
interface GivenReflection extends WrittenReflection {
  readonly functions?: ReflectionSpec["functions"];
}

/** What is written of reflection, as a member of its definition; nothing when it is off. */
export function resolveReflection(
  entry: GivenReflection | undefined,
  agents: readonly Pick<AgentSpec, "id">[] = [],
): { readonly reflection?: ReflectionSpec } {
  if (entry === undefined || entry.enabled === false) return {};
  const { threshold = DEFAULT_REFLECTION_THRESHOLD, prompt, functions = [] } = entry;
  if (threshold === 0) return {};
  const idOf = (name: string | undefined) =>
    agents.find(({ id }) => id.toLowerCase() === name?.toLowerCase())?.id ?? name;
  const named = { reflector: idOf(entry.reflector), scorer: idOf(entry.scorer) };
  const given = functions.length === 0 ? undefined : functions;
  return { reflection: { threshold, ...present({ ...named, prompt, functions: given }) } };
}

/** What is given of reflection in code. */
interface ReflectionOptions extends ReflectionFunctions {
  readonly reflection?: WrittenReflection;
  readonly reflectionThreshold?: number;
}

/** The same for what is given in code, where a function or a threshold switch it on, too. */
export function resolveGivenReflection({
  reflection,
  reflectionThreshold: threshold = reflection?.threshold,
  onReflect,
  scorer,
}: ReflectionOptions): ReturnType<typeof resolveReflection> {
  const isOn = reflection !== undefined || threshold !== undefined || onReflect !== undefined;
  if (!isOn) return {};
  const functions = [
    ...(onReflect === undefined ? [] : (["onReflect"] as const)),
    ...(scorer === undefined ? [] : (["scorer"] as const)),
  ];
  return resolveReflection({ ...reflection, threshold, functions });
}
