import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createOpencodeBackend } from "../../../src/agents/backends/opencode/opencode-backend.ts";
import type { AgentFixture } from "./agent-fixture.ts";

const KEY = "key-of-the-scripted-model";
const SECRET = "key-that-opencode-login-stored";
// All models that there are take it seconds to read, at every start.
const QUICK = { OPENCODE_MODELS_PATH: join(import.meta.dirname, "no-models.json") };

/** opencode, its model reached by the Chat Completions API of a provider that it does not know. */
export const opencodeFixture: AgentFixture = {
  client: "opencode",
  createBackend: ({ program, host, clock, modelUrl }) => {
    const settings = { command: program, baseUrl: `${modelUrl}/v1`, model: "scripted/model" };
    return createOpencodeBackend({ host, clock }, { name: "opencode", settings });
  },
  keyEnv: () => ({ ...QUICK, OPENAI_API_KEY: KEY }),
  login: {
    secret: SECRET,
    write: ({ home }) => {
      const file = join(home, ".local/share/opencode/auth.json");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ scripted: { type: "api", key: SECRET } }));
      return file;
    },
    env: () => QUICK,
  },
  // It takes seconds to start, and asks a model that fails five times more, up to half a minute apart.
  patience: { caseMs: 150_000, failureMs: 100_000 },
  refusesUntrusted: true,
  cannot: {
    steer: "the protocol puts nothing into a turn that runs",
  },
};
