/** What is known of a provider of models. */
export interface ModelProvider {
  readonly name: string;
  /** Where it is reached when the configuration says nothing. */
  readonly baseUrl: string;
  /** Variables of which the first that is set holds the key; none for one that wants none. */
  readonly keys: readonly string[];
}

/** The providers whose models agents of backend `model` may have by `provider/name` without being configured. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [
  {
    name: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
  },
  { name: "openai", baseUrl: "https://api.openai.com/v1", keys: ["OPENAI_API_KEY"] },
  {
    name: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  },
  { name: "ollama", baseUrl: "http://127.0.0.1:11434/v1", keys: [] },
];

/** Whether a name of `backends` in the configuration is that of a provider of models. */
export function isModelProvider(name: string): boolean {
  return MODEL_PROVIDERS.some((provider) => provider.name === name);
}
