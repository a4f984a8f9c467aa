import { MODEL_PROVIDERS } from "../../../agents/backends/parts/model-providers.ts";
import { namedVariable } from "../../../host/environment.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Environment } from "../place/project.ts";

/** A provider of models whose key is there. */
export interface KeyedProvider {
  readonly provider: string;
  /** Of those that troupe knows the one for agents that name none, as `provider/name`. */
  readonly model: string;
  /** The variable that holds the key. */
  readonly variable: string;
}

/** Where keys are looked for. */
export interface KeySurroundings {
  readonly env: Environment;
  readonly settings: ConfigSettings;
}

/** The providers whose keys are there, in the order in which they are chosen. */
export function keyedProviders({ env, settings }: KeySurroundings): readonly KeyedProvider[] {
  const { backends = {} } = settings;
  return MODEL_PROVIDERS.flatMap(({ name, keys, model }) => {
    const said = Object.hasOwn(backends, name) ? backends[name] : undefined;
    const wanted = said?.apiKeyEnv === undefined ? keys : [said.apiKeyEnv];
    const variable = wanted.find((key) => (namedVariable(env, key) ?? "") !== "");
    if (variable === undefined || model === undefined) return [];
    return [{ provider: name, model: `${name}/${model}`, variable }];
  });
}

/**
 * The model of agents of backend `model` that name none: the configured one, else that of the first provider whose key is
 * there. Undefined without any.
 */
export function defaultModel(surroundings: KeySurroundings): string | undefined {
  const configured = surroundings.settings.backends?.["model"]?.model;
  return configured ?? keyedProviders(surroundings)[0]?.model;
}
