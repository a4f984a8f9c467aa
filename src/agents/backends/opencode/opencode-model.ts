import type { AgentSpec } from "../../../contracts/agent.ts";
import type { Json } from "../../../foundation/json.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { settingsInvalid } from "../parts/errors.ts";

/** The part of opencode's configuration that says which model is asked, and where. */
export interface ModelConfiguration {
  readonly model?: string;
  readonly provider?: { readonly [name: string]: Json };
}

// They come with opencode, which loads nothing then.
const PACKAGES: { readonly [provider: string]: string } = {
  anthropic: "@ai-sdk/anthropic",
  google: "@ai-sdk/google",
  openai: "@ai-sdk/openai",
};
const COMPATIBLE = "@ai-sdk/openai-compatible";

/** The model of an agent, `provider/model`. Raises BACKEND_SETTINGS_INVALID. */
export function opencodeModel(
  spec: AgentSpec,
  { model: configured, baseUrl, apiKeyEnv }: BackendSettings = {},
): ModelConfiguration {
  const model = spec.model ?? configured;
  const [, provider = "", name = ""] = /^([^/]+)\/(.+)$/.exec(model ?? "") ?? [];
  if (model !== undefined && name === "")
    throw invalid(spec, `the model "${model}" has no provider; write it as provider/model`);
  if (baseUrl === undefined && apiKeyEnv === undefined) return model === undefined ? {} : { model };
  if (model === undefined)
    throw invalid(spec, "`baseUrl` and `apiKeyEnv` need a `model`, written as provider/model");
  const key = apiKeyEnv === undefined ? {} : { apiKey: `{env:${apiKeyEnv}}` };
  if (baseUrl === undefined) return { model, provider: { [provider]: { options: key } } };
  const options = { baseURL: baseUrl, ...key };
  const npm = Object.hasOwn(PACKAGES, provider) ? PACKAGES[provider] : undefined;
  const models = { [name]: { name } };
  return { model, provider: { [provider]: { npm: npm ?? COMPATIBLE, options, models } } };
}

function invalid({ id }: AgentSpec, problem: string): Error {
  return settingsInvalid({ agent: id, problem });
}
