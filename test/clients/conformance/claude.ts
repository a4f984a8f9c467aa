import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeBackend } from "../../../src/agents/backends/claude/claude-backend.ts";
import type { AgentFixture } from "./agent-fixture.ts";

const KEY = "key-of-the-scripted-model";
const LOGIN_SECRET = "made-up-login-of-claude";
const IN_A_YEAR_MS = 365 * 24 * 3600 * 1000;

/** Claude Code. */
export const claudeFixture: AgentFixture = {
  client: "claude",
  createBackend: ({ program, host, clock }) =>
    createClaudeBackend({ host, clock }, { name: "claude", settings: { command: program } }),
  keyEnv: ({ modelUrl }) => ({ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: KEY }),
  login: {
    secret: LOGIN_SECRET,
    write: ({ home }) => {
      const file = join(home, ".claude/.credentials.json");
      mkdirSync(join(home, ".claude"), { mode: 0o700 });
      const stored = {
        claudeAiOauth: {
          accessToken: LOGIN_SECRET,
          refreshToken: "made-up-refresh",
          expiresAt: Date.now() + IN_A_YEAR_MS,
          scopes: ["user:inference", "user:profile"],
          subscriptionType: "max",
        },
      };
      writeFileSync(file, JSON.stringify(stored), { mode: 0o600 });
      return file;
    },
    env: ({ modelUrl }) => ({ ANTHROPIC_BASE_URL: modelUrl }),
  },
  spec: { model: "claude-sonnet-4-5" },
  cannot: {},
};
