import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import { isRecord } from "../../../foundation/json.ts";
import { createSecretMasker, type SecretMasker } from "../../../foundation/secret-masker.ts";
import { passwordsIn, secretValues } from "../../../host/environment.ts";
import { type SealedValues, withoutTokens } from "../../../host/sealed-values.ts";
import type { Config } from "../config/config.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import { configInvalid } from "../config/errors.ts";
import type { Machine } from "../machine.ts";
import type { Environment } from "../place/project.ts";

/** The configuration that takes effect on a machine. Raises CONFIG_INVALID and what loadConfig raises. */
export async function configOf(machine: Pick<Machine, "readConfig">): Promise<Config> {
  const { config, problems } = await machine.readConfig();
  if (config !== undefined) return config;
  throw configInvalid({ problems: problems.filter(({ severity }) => severity === "error") });
}

/**
 * Takes out the secrets of the environment, of the configuration, and those that a workflow writes into an `env`
 * (AGT-11). Raises what configOf raises.
 */
export async function maskerOf(
  machine: Pick<Machine, "readConfig" | "env">,
  written: { readonly definition?: unknown; readonly sealed?: SealedValues } = {},
): Promise<SecretMasker> {
  const { settings } = await configOf(machine);
  const { definition, sealed = new Map() } = written;
  const ofDefinition = environmentsIn(definition).flatMap((env) =>
    secretValues(withoutTokens(env, sealed), settings.secrets ?? []),
  );
  return createSecretMasker([...knownSecrets(settings, machine.env), ...ofDefinition]);
}

/** What a definition says in any `env`: of agents, types of agents, steps. */
function environmentsIn(value: unknown): readonly { readonly [name: string]: string }[] {
  const found: { readonly [name: string]: string }[] = [];
  const search = (within: unknown): void => {
    if (Array.isArray(within)) for (const member of within) search(member);
    if (!isRecord(within)) return;
    for (const [name, member] of Object.entries(within)) {
      if (name === "env" && isRecord(member)) found.push(textsOf(member));
      else search(member);
    }
  };
  search(value);
  return found;
}

function textsOf(env: { readonly [name: string]: unknown }): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}

/** Names of backends that files of the configuration define, also those that need trust to take effect. */
export function configuredBackends(config: Config): readonly string[] {
  return [
    ...new Set([...Object.keys(config.settings.backends ?? {}), ...untrustedBackends(config)]),
  ];
}

/** Names of backends of which the project's configuration says something that needs trust to take effect. */
export function untrustedBackends({
  needingTrust,
}: Pick<Config, "needingTrust">): readonly string[] {
  return needingTrust.flatMap(({ path: [top, name] }) =>
    top === "backends" && name !== undefined ? [name] : [],
  );
}

/** The values that nobody may see: of secret variables, wherever they are set. */
export function knownSecrets(settings: ConfigSettings, env: Environment): readonly string[] {
  const names = settings.secrets ?? [];
  const inBackends = Object.values(settings.backends ?? {}).flatMap((backend) => [
    ...secretValues(backend.env ?? {}, [...names, ...keyNames(settings)]),
    ...passwordsIn(backend.baseUrl ?? ""),
  ]);
  return [...secretValues(env, [...names, ...keyNames(settings)]), ...inBackends];
}

/** The definition with the configured limits where it sets none itself. */
export function withConfiguredBudget(
  definition: WorkflowDefinition,
  { budget: configured = {}, limits: { failures } = {} }: ConfigSettings,
): WorkflowDefinition {
  const { perDay: _, wallClock, ...limits } = configured;
  const wallClockMs = wallClock === undefined ? {} : { wallClockMs: parseDuration(wallClock) };
  const inARow = failures === undefined ? {} : { failures };
  const budget = { ...limits, ...wallClockMs, ...inARow, ...definition.budget };
  return Object.keys(budget).length === 0 ? definition : { ...definition, budget };
}

/** Names of the variables that hold the keys of backends. */
function keyNames({ backends = {} }: ConfigSettings): readonly string[] {
  return Object.values(backends)
    .map(({ apiKeyEnv }) => apiKeyEnv)
    .filter((name) => name !== undefined);
}
