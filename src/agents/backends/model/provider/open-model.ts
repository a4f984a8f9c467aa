import type { OpenAIProviderSettings } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { askServer } from "./ask-server.ts";
import type { ChosenModel } from "./choose-model.ts";

/** What a model is asked with. */
export interface ModelAccess {
  readonly baseUrl: string;
  /** Undefined: it wants none. */
  readonly key: string | undefined;
}

/** The model by its provider's own package, which is loaded now. */
export async function openModel(
  { provider, id, api }: ChosenModel,
  { baseUrl, key }: ModelAccess,
): Promise<LanguageModelV4> {
  const options = { baseURL: baseUrl, apiKey: key ?? "", fetch: askServer };
  switch (provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(options)(id);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(options)(id);
    }
    case "openai":
      return openOpenai(id, { api: api ?? "responses", options });
    default: {
      if (api === "responses") return openOpenai(id, { api, options });
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const secret = key === undefined ? {} : { apiKey: key };
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl,
        fetch: askServer,
        includeUsage: true,
        ...secret,
      })(id);
    }
  }
}

async function openOpenai(
  id: string,
  {
    api,
    options,
  }: {
    readonly api: "chat" | "responses";
    readonly options: Pick<OpenAIProviderSettings, "baseURL" | "apiKey" | "fetch">;
  },
): Promise<LanguageModelV4> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const provider = createOpenAI(options);
  return api === "chat" ? provider.chat(id) : provider.responses(id);
}
