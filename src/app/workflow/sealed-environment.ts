import type { AgentSpec } from "../../contracts/agent.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { SHORTEST_SECRET_CHARS } from "../../foundation/secret-masker.ts";
import { secretValues } from "../../host/environment.ts";
import type { SealedValues } from "../../host/sealed-values.ts";
import { SEALED_TOKEN, type SecretBox } from "../machine/seals/secret-box.ts";
import { secretUnreadable } from "./shapes/errors.ts";
import { shapeOf } from "./shapes/registry.ts";
import type { EnvironmentChanges, WrittenEnvironment } from "./shapes/shape.ts";

/**
 * The definition with a token in the place of every secret that it writes into an `env` (AGT-11): of values whose
 * variable says so by its name or stands in `names`, and of passwords in addresses. What a journal, its copies and its
 * exports show is the token. Values of less than 6 characters and texts with variables are no literals, and stay.
 */
export async function sealEnvironments(
  definition: WorkflowDefinition,
  box: () => SecretBox,
  names: readonly string[],
): Promise<WorkflowDefinition> {
  return changeEnvironments(definition, (env) =>
    Object.fromEntries(
      Object.entries(env).map(([name, value]) => {
        const seal = (secret: string) => box().seal(name, secret);
        return [name, withTokens(value, secretValues({ [name]: value }, names), seal)];
      }),
    ),
  );
}

function withTokens(
  value: string,
  secrets: readonly string[],
  seal: (secret: string) => string,
): string {
  // A file that holds a token of another run must not have it opened: it is a text like any other, and is sealed.
  if (value.search(SEALED_TOKEN) >= 0) return seal(value);
  const literals = secrets.filter(
    (secret) => secret.length >= SHORTEST_SECRET_CHARS && !secret.includes("{{"),
  );
  if (literals.includes(value)) return seal(value);
  return literals.reduce((text, secret) => text.replaceAll(secret, () => seal(secret)), value);
}

/** What the tokens of a run's definition stand for. Raises RUN_SECRET_UNREADABLE for one that somebody else sealed. */
export async function openEnvironments(
  run: string,
  definition: WorkflowDefinition,
  box: () => SecretBox,
): Promise<SealedValues> {
  const environments: WrittenEnvironment[] = [];
  await changeEnvironments(definition, (env) => {
    environments.push(env);
    return env;
  });
  return openTokens(run, environments, box);
}

/** What the tokens in these variables of a run stand for. Raises RUN_SECRET_UNREADABLE. */
export function openTokens(
  run: string,
  environments: readonly WrittenEnvironment[],
  box: () => SecretBox,
): SealedValues {
  const opened = new Map<string, Map<string, string>>();
  for (const [name, value] of environments.flatMap((env) => Object.entries(env))) {
    for (const [token] of value.matchAll(SEALED_TOKEN)) {
      const text = box().open(name, token);
      if (text === undefined) throw secretUnreadable({ run, variable: name });
      const ofName = opened.get(name) ?? new Map<string, string>();
      opened.set(name, ofName.set(token, text));
    }
  }
  return opened;
}

/** A definition with the variables of its agents, its commands and the workflows that it runs changed. */
async function changeEnvironments(
  given: WorkflowDefinition,
  env: EnvironmentChanges["env"],
): Promise<WorkflowDefinition> {
  const definition = { ...given, agents: given.agents.map((agent) => inAgent(agent, env)) };
  const child = (workflow: WorkflowDefinition) => changeEnvironments(workflow, env);
  const shape = await shapeOf(definition);
  return shape.withEnvironments?.(definition, { env, child }) ?? definition;
}

function inAgent(agent: AgentSpec, change: EnvironmentChanges["env"]): AgentSpec {
  return agent.env === undefined ? agent : { ...agent, env: change(agent.env) };
}
