import type { AcpCommand } from "../parts/acp/acp-launch.ts";
import { geminiDialect } from "./gemini-dialect.ts";
import { prepareGeminiEnvironment } from "./gemini-environment.ts";

/** How Gemini is called. A role file would replace all that Gemini tells its model; the first prompt keeps both. */
export const geminiCommand: AcpCommand = {
  args: ({ request, settings }) => {
    const model = request.spec.model ?? settings?.model;
    return model === undefined ? [] : ["-m", model];
  },
  // Over what a trusted project says.
  protocol: ["--acp", "--approval-mode", "default"],
  terminal: (session) => (session === undefined ? [] : ["--resume", session]),
  prepare: async (call) => {
    const { env, home } = await prepareGeminiEnvironment(call);
    return { env, dialect: geminiDialect(home) };
  },
};
