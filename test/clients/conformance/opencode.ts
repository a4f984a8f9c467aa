import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createOpencodeBackend } from "../../../src/agents/backends/opencode/opencode-backend.ts";
import type { AgentFixture } from "./agent-fixture.ts";

const KEY = "key-of-the-scripted-model";
const SECRET = "key-that-opencode-login-stored";

/** opencode, its model reached by the Chat Completions API of a provider that it does not know. */
export const opencodeFixture: AgentFixture = {
  client: "opencode",
  createBackend: ({ program, host, clock, modelUrl }) => {
    const settings = { command: program, baseUrl: `${modelUrl}/v1`, model: "scripted/model" };
    return createOpencodeBackend({ host, clock }, { name: "opencode", settings });
  },
  keyEnv: () => ({ OPENAI_API_KEY: KEY }),
  login: {
    secret: SECRET,
    write: ({ home }) => {
      const file = join(home, ".local/share/opencode/auth.json");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ scripted: { type: "api", key: SECRET } }));
      return file;
    },
    env: () => ({}),
  },
  cannot: {
    hostile:
      "it runs the plug-ins of a project whatever it is told, so it is not started in one that has any",
    login: "the case for it takes place in such a project",
    addresses: "it asks the registry for a package of its own, and nothing turns that off",
    "error-429": "it asks again for a minute by itself",
    "error-500": "it asks again for a minute by itself",
    steer: "the protocol puts nothing into a turn that runs",
  },
};
