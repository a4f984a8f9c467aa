import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCodexBackend } from "../../../src/agents/backends/codex/codex-backend.ts";
import type { AgentFixture, FixturePlaces } from "./agent-fixture.ts";

const SECRET = "key-that-codex-login-stored";

/** Codex, its model reached by the Responses API. */
export const codexFixture: AgentFixture = {
  client: "codex",
  createBackend: ({ program, host, clock }) =>
    createCodexBackend({ host, clock }, { name: "codex", settings: { command: program } }),
  keyEnv: (places) => ({ ...addressOf(places), OPENAI_API_KEY: "key-of-the-scripted-model" }),
  login: {
    write: ({ home }) => {
      const file = join(home, ".codex/auth.json");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: SECRET }));
      return file;
    },
    secret: SECRET,
    env: addressOf,
  },
  // Of a model that it does not know Codex offers its plain shell.
  spec: { model: "scripted" },
  cannot: {},
};

function addressOf({ modelUrl }: FixturePlaces): { readonly [name: string]: string } {
  return { OPENAI_BASE_URL: `${modelUrl}/v1` };
}
