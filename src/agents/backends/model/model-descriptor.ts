import { LOOP_KEYS } from "../../../contracts/backend.ts";
import type { BackendDescriptor } from "../parts/backend-descriptor.ts";

/** What is known of the backend whose loop is Troupe's own. */
export const MODEL: BackendDescriptor = {
  name: "model",
  takes: LOOP_KEYS,
  // What they say is taken for instructions.
  obeys: ["AGENTS.md", "CLAUDE.md", ".troupe/skills", ".claude/skills"],
  configKeys: ["type", "env", "model", "baseUrl", "apiKeyEnv", "api", "contextWindow"],
  isServer: true,
};
