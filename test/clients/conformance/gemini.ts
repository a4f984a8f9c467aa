import { createGeminiBackend } from "../../../src/agents/backends/gemini/gemini-backend.ts";
import type { AgentFixture, FixturePlaces } from "./agent-fixture.ts";

/** Gemini CLI, its model reached by the Gemini API. */
export const geminiFixture: AgentFixture = {
  client: "gemini",
  createBackend: ({ program, host, clock }) =>
    createGeminiBackend({ host, clock }, { name: "gemini", settings: { command: program } }),
  keyEnv: (places) => ({ ...addressOf(places), GEMINI_API_KEY: "key-of-the-scripted-model" }),
  spec: { model: "gemini-2.5-pro" },
  // It asks a model that fails twice more, up to 13 seconds apart.
  patience: { caseMs: 100_000, failureMs: 60_000 },
  cannot: {
    steer: "the protocol puts nothing into a turn that runs",
    refusal: "its program tells a refusal of the model like any other end",
    login: "a login of Google is checked with Google before anything else",
  },
};

function addressOf({ modelUrl }: FixturePlaces): { readonly [name: string]: string } {
  return { GOOGLE_GEMINI_BASE_URL: modelUrl };
}
