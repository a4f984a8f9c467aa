import type { BackendDescriptor } from "../parts/backend-descriptor.ts";

/** What is known of the backend whose loop is Troupe's own. */
export const MODEL: BackendDescriptor = {
  name: "model",
  // What they say is taken for instructions.
  obeys: ["AGENTS.md", "CLAUDE.md"],
};
