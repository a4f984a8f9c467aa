import { didYouMean } from "../../../foundation/near-names.ts";
import type { BackendSettings, OwnSettings } from "./backend-settings.ts";

/** What is known of a provider of models. */
export interface ModelProvider {
  readonly name: string;
  /** Where it is reached when the configuration says nothing. */
  readonly baseUrl: string;
  /** Variables of which the first that is set holds the key; none for one that wants none. */
  readonly keys: readonly string[];
  /** Variable of the vendor's own programs that says where it is, and the path that they add to it. */
  readonly address: { readonly variable: string; readonly path: string };
  /** What agents have that name no model, where its key is there. Absent: nothing. */
  readonly model?: string;
}

/** The providers whose models agents of backend `model` may have by `provider/name` without being configured. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [
  {
    name: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
    address: { variable: "ANTHROPIC_BASE_URL", path: "/v1" },
    model: "claude-sonnet-4-5",
  },
  {
    name: "openai",
    baseUrl: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    address: { variable: "OPENAI_BASE_URL", path: "" },
    model: "gpt-5.1",
  },
  {
    name: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    address: { variable: "GOOGLE_GEMINI_BASE_URL", path: "/v1beta" },
    model: "gemini-2.5-pro",
  },
  {
    name: "ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keys: [],
    address: { variable: "OLLAMA_HOST", path: "/v1" },
  },
];

/** Whether a name of `backends` in the configuration is that of a provider of models. */
export function isModelProvider(name: string): boolean {
  return MODEL_PROVIDERS.some((provider) => provider.name === name);
}

/** Where models are looked for. */
export interface ModelSources {
  readonly own: OwnSettings;
  /** What the configuration says, by backend and provider. */
  readonly settings: { readonly [backend: string]: BackendSettings };
}

/** The model that is written, else that of its backend. */
export function namedModel(
  written: string | undefined,
  { own }: Pick<ModelSources, "own">,
): string | undefined {
  return written ?? own.settings?.model;
}

/** Why nobody has the model that an agent names; undefined when somebody has. */
export function modelProblem(
  written: string | undefined,
  sources: ModelSources,
): string | undefined {
  const { own, settings } = sources;
  const isOwn = own.settings?.type === "model";
  const model = namedModel(written, sources);
  if (model === undefined)
    return `it names no model: \`model: ${isOwn ? "name" : "provider/name"}\``;
  if (isOwn) return addressProblem(own.name, own.settings);
  const [provider = "", ...rest] = model.split("/");
  if (provider === "" || rest.join("/") === "")
    return `its model is "${model}"; write \`provider/name\`, such as anthropic/claude-sonnet-4-5`;
  const said = Object.hasOwn(settings, provider) ? settings[provider] : undefined;
  if (said?.type === "model") return addressProblem(provider, said);
  if (isModelProvider(provider)) return undefined;
  const configured = Object.keys(settings).filter((name) => settings[name]?.type === "model");
  const names = [...MODEL_PROVIDERS.map(({ name }) => name), ...configured];
  const guess = didYouMean(provider, names) ?? "";
  return `nobody knows the provider "${provider}" of its model; ${guess}`;
}

function addressProblem(
  provider: string,
  settings: BackendSettings | undefined,
): string | undefined {
  if (settings?.baseUrl !== undefined) return undefined;
  return `the configuration does not say where its models are: backends.${provider}.baseUrl`;
}
