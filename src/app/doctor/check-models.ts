import { MODEL } from "../../agents/backends/model/model-descriptor.ts";
import type { ModelAccess } from "../../agents/backends/model/provider/open-model.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { namedVariable } from "../../host/environment.ts";
import { defaultModel, keyedProviders } from "../machine/backends/default-model.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { configOf } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import type { Check, Finding } from "./finding.ts";

const SUBJECT = "models";

/** The models that agents can have without any program; with `isOnline` each is asked for a word. */
export function checkModels(machine: Machine, isOnline: boolean): Check {
  return {
    subject: SUBJECT,
    look: async (signal) => {
      const { config } = await machine.readConfig();
      // With a broken configuration the rest is looked at as if there were none.
      const settings = config === undefined ? {} : (await configOf(machine)).settings;
      const models = modelsToTry(machine, settings);
      if (isOnline) return tryAll(models, { machine, settings, signal });
      const keyed = keyedProviders({ env: machine.env, settings });
      if (keyed.length === 0) return [];
      const named = keyed.map(({ provider, variable }) => `${provider} by ${variable}`).join(", ");
      const text = `${named}; troupe doctor --online tries them`;
      return [{ subject: SUBJECT, status: "ok", text }];
    },
  };
}

/** One of each provider that has a key, of each server that names one, and what agents have that name none. */
function modelsToTry({ env }: Machine, settings: ConfigSettings): readonly string[] {
  const { backends = {} } = settings;
  const served = Object.entries(backends).flatMap(([name, { type, model }]) =>
    type === MODEL.name && model !== undefined ? [`${name}/${withoutPrefix(model, name)}`] : [],
  );
  const usual = defaultModel({ env, settings });
  const keyed = keyedProviders({ env, settings }).map(({ model }) => model);
  return [...new Set([...(usual === undefined ? [] : [usual]), ...keyed, ...served])];
}

function withoutPrefix(model: string, provider: string): string {
  return model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;
}

interface Trial {
  readonly machine: Machine;
  readonly settings: ConfigSettings;
  readonly signal: AbortSignal;
}

async function tryAll(models: readonly string[], trial: Trial): Promise<readonly Finding[]> {
  if (models.length > 0) return Promise.all(models.map((model) => tryOne(model, trial)));
  const text = "nothing to try: no key of a provider is set, and no server of models is configured";
  const hint = "export ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY";
  return [{ subject: SUBJECT, status: "note", text, hint }];
}

async function tryOne(model: string, { machine, settings, signal }: Trial): Promise<Finding> {
  const { backends = {} } = settings;
  const [{ addressOf, chooseModel, keyVariable }, { tryModel }] = await Promise.all([
    import("../../agents/backends/model/provider/choose-model.ts"),
    import("../../agents/backends/model/provider/try-model.ts"),
  ]);
  try {
    const own = { name: MODEL.name, settings: undefined };
    const spec = { id: SUBJECT, backend: MODEL.name, model };
    const chosen = chooseModel(spec, { own, settings: backends });
    const env = present(machine.env);
    const variable = keyVariable(SUBJECT, chosen, env);
    const key = variable === undefined ? undefined : namedVariable(machine.env, variable);
    const access: ModelAccess = { baseUrl: addressOf(chosen, spec, env), key };
    const startedAt = machine.clock.monotonic();
    const problem = await tryModel(chosen, access, signal);
    if (problem === undefined) {
      const seconds = (machine.clock.monotonic() - startedAt) / 1000;
      return {
        subject: SUBJECT,
        status: "ok",
        text: `${model} answers, after ${seconds.toFixed(1)} s`,
      };
    }
    const asked = variable === undefined ? access.baseUrl : `${access.baseUrl} with ${variable}`;
    const text = `${model} does not answer: ${toPrintable(problem)}`;
    return { subject: SUBJECT, status: "warning", text, hint: `it was asked at ${asked}` };
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    return {
      subject: SUBJECT,
      status: "warning",
      text: message,
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

function present(env: Machine["env"]): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
