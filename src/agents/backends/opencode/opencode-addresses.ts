import type { BackendSettings } from "../backend-settings.ts";

/** Of the providers that opencode knows, those that most people have a key of. */
const PROVIDERS: { readonly [provider: string]: readonly string[] } = {
  anthropic: ["api.anthropic.com"],
  openai: ["api.openai.com"],
  google: ["generativelanguage.googleapis.com"],
  openrouter: ["openrouter.ai"],
  opencode: ["opencode.ai"],
  deepseek: ["api.deepseek.com"],
  groq: ["api.groq.com"],
  mistral: ["api.mistral.ai"],
  xai: ["api.x.ai"],
};

/** Where opencode reaches its models: the configured address, else the configured provider, else all that it knows. */
export function opencodeAddresses({
  baseUrl,
  model = "",
}: BackendSettings = {}): readonly string[] {
  if (baseUrl !== undefined) return [baseUrl];
  const [provider = ""] = model.split("/");
  const own = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  return own ?? Object.values(PROVIDERS).flat();
}
