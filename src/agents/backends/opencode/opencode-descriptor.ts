import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";

/** They would allow what nobody was asked for, or let others in. */
const REFUSED: RefusedArguments = {
  names: [
    ...["auto", "yolo", "agent", "prompt", "cwd", "dir", "attach", "share"],
    ...["port", "hostname", "mdns", "mdns-domain", "cors"],
    ...["session", "continue", "fork"],
  ],
  letters: "scp",
};

/** What Troupe knows of opencode. */
export const OPENCODE: ProgramDescriptor = {
  name: "opencode",
  program: {
    file: "opencode",
    install: "npm install -g opencode-ai",
    signIn: "opencode auth login, or set the key of a model, such as ANTHROPIC_API_KEY",
    tested: "1.18.33",
  },
  isChosenByItself: true,
  obeys: [".opencode", "opencode.json", "opencode.jsonc"],
  toolCallTimeoutMs: TOOL_PATIENCE_MS,
  toolPrefix: "troupe_",
  refuses: REFUSED,
};
