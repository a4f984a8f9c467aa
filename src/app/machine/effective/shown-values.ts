import { toJson } from "../../../foundation/json.ts";
import { createSecretMasker } from "../../../foundation/secret-masker.ts";
import { secretValues } from "../../../host/environment.ts";
import type { Config, ConfigValue } from "../config/config.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import { toSettings } from "../config/merge-config.ts";
import type { Environment } from "../place/project.ts";
import { knownSecrets } from "./effective-config.ts";

const HIDDEN = "***";

/** Values of a configuration as they may be shown: without secrets, however short. */
export function shownValues(
  { settings }: Pick<Config, "settings">,
  values: readonly ConfigValue[],
  env: Environment,
): readonly ConfigValue[] {
  // What is not trusted does not take effect, and is no less secret.
  const all = [knownSecrets(settings, env), knownSecrets(asSettings(values), env)].flat();
  const masker = createSecretMasker(all);
  const names = settings.secrets ?? [];
  return values.map((given) => {
    const [top, , kind, name = ""] = given.path;
    const isSecret =
      top === "backends" && kind === "env" && secretValues({ [name]: HIDDEN }, names).length > 0;
    return { ...given, value: isSecret ? HIDDEN : masker.maskJson(given.value) };
  });
}

/** Values as a list of settings that may be printed as JSON. */
export function toDocument(values: readonly ConfigValue[]): ReturnType<typeof toJson> {
  return toJson(toSettings(values), "the configuration");
}

function asSettings(values: readonly ConfigValue[]): ConfigSettings {
  const backends: { [name: string]: { env: { [name: string]: string }; baseUrl?: string } } = {};
  for (const { path, value } of values) {
    const [top, backend = "", kind, name = ""] = path;
    if (top !== "backends" || typeof value !== "string") continue;
    const entry = backends[backend] ?? { env: {} };
    backends[backend] = entry;
    if (kind === "env") entry.env[name] = value;
    if (kind === "baseUrl") entry.baseUrl = value;
  }
  return { backends };
}
