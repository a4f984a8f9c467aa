import type { ClientName } from "../pinned-clients.ts";
import type { AgentFixture } from "./agent-fixture.ts";
import { claudeFixture } from "./claude.ts";
import { codexFixture } from "./codex.ts";
import { geminiFixture } from "./gemini.ts";
import { opencodeFixture } from "./opencode.ts";

/** Every client under test. */
export const fixtures: { readonly [name in ClientName]: AgentFixture } = {
  claude: claudeFixture,
  codex: codexFixture,
  gemini: geminiFixture,
  opencode: opencodeFixture,
};
