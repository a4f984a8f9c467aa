import { defineError } from "../../foundation/errors.ts";

export const noBackend = defineError("WORKFLOW_NO_BACKEND", {
  message: (details: { agent: string }) =>
    `agent "${details.agent}" has no backend, and none is the default`,
  hint: () => "add backend: claude (or another one), or run with --backend NAME",
  about:
    "The backend of an agent is its own, else that of the file, else the default of the configuration.",
});
