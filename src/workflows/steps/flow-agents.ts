import { z } from "zod";
import { wishedModel } from "../../agents/model-word.ts";
import type { AgentSpec } from "../../contracts/agent.ts";
import { present } from "../../foundation/present.ts";
import type { AgentType } from "../resolve/agent-type.ts";
import { noBackend } from "../resolve/errors.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import { modelOf, resolveAgents, resolveTools } from "../resolve/resolve-agent.ts";
import {
  type BackendOrigin,
  type ChosenBackend,
  chooseBackend,
} from "../resolve/resolve-backend.ts";
import { resolvePassedEnv } from "../resolve/resolve-passed-env.ts";
import { agentOrigins } from "../resolve/resolve-shadows.ts";
import { flowAgentSchema } from "../schema/steps-file-schema.ts";
import { idText, passEnvNames } from "../schema/text-schemas.ts";
import { entryOf, type MapNode, toValue } from "../source/source-node.ts";
import { camelCasedAgents } from "./agents-view.ts";

const writtenAgents = z.union([
  z.array(flowAgentSchema.extend({ id: idText })),
  z.record(idText, flowAgentSchema),
]);

/** Agents of a step workflow, and what decided on the backend of each. */
export interface FlowAgents {
  readonly specs: readonly AgentSpec[];
  readonly origins: ReadonlyMap<string, BackendOrigin>;
}

/** Agents that steps name and the file does not declare. */
export interface FoundAgents {
  /** By the name that steps use. */
  readonly types: ReadonlyMap<string, AgentType>;
  /** Those that nothing describes and `--backend` stands for. */
  readonly bare: readonly string[];
}

/** The agents that a checked file declares. */
export function declaredAgents(root: MapNode, options: LoadOptions): FlowAgents {
  const node = entryOf(root, "agents")?.node;
  if (node === undefined) return { specs: [], origins: new Map() };
  const backend = fileBackend(root);
  const agents = writtenAgents.parse(toValue(camelCasedAgents(node)));
  const file = { agents, ...present({ backend, passEnv: filePassEnv(root) }) };
  return { specs: resolveAgents(file, options), origins: agentOrigins(file, options) };
}

/** Agents whose names lead to an agent type, and those that nothing describes. */
export function foundAgents(
  root: MapNode,
  { types, bare }: FoundAgents,
  options: LoadOptions,
): FlowAgents {
  const names = [...types.keys(), ...bare];
  const origins = new Map<string, BackendOrigin>();
  const specs = names.map((id): AgentSpec => {
    const type = types.get(id);
    const wish = { id, backend: undefined, model: type?.model };
    const isOpen = type === undefined && options.codeAgents?.isOpen === true;
    const chosen =
      isOpen && options.backendOverride === undefined
        ? ({ backend: "function", origin: "option" } as const)
        : chooseBackend(wish, fileBackend(root), options);
    // The check of agents has reported this already; the type cannot know.
    if (chosen === undefined) throw noBackend({ agent: id });
    origins.set(id, chosen.origin);
    const spec = toSpec(id, { type, chosen }, options);
    return { ...spec, ...resolvePassedEnv(spec.env, [filePassEnv(root)]) };
  });
  return { specs, origins };
}

/** The prompts of agent types, by the agents that have them. */
export function foundPrompts({ types }: Pick<FoundAgents, "types">): {
  readonly [agent: string]: string;
} {
  const prompts = [...types].filter(([, { prompt }]) => prompt.trim() !== "");
  return Object.fromEntries(prompts.map(([id, { prompt }]) => [id, prompt.trim()]));
}

interface FoundSpec {
  readonly type: AgentType | undefined;
  readonly chosen: ChosenBackend;
}

function toSpec(id: string, { type, chosen }: FoundSpec, options: LoadOptions): AgentSpec {
  const { backend } = chosen;
  const model = modelOf(wishedModel(type?.model, backend), chosen, options);
  const permissionMode = type?.permissionMode ?? options.agentDefaults?.permissionMode;
  const { isolation, limits, deniedTools: disallowedTools, ...rest } = type ?? {};
  return {
    ...{ id, backend },
    ...present({ model, permissionMode, isolation, limits }),
    ...resolveTools({ ...present({ disallowedTools }), ...rest }, backend, options),
  };
}

/** What the file hands on to all of its agents. */
function filePassEnv(root: MapNode): string[] | undefined {
  const node = entryOf(root, "pass_env")?.node;
  return node === undefined ? undefined : passEnvNames.parse(toValue(node));
}

/** The backend of agents that name none. */
export function fileBackend(root: MapNode): string | undefined {
  const node = entryOf(root, "backend")?.node;
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}
