import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would allow what nobody was asked for, or let others in. */
export const OPENCODE_REFUSED: RefusedArguments = {
  names: [
    ...["auto", "yolo", "agent", "prompt", "cwd", "dir", "attach", "share"],
    ...["port", "hostname", "mdns", "mdns-domain", "cors"],
    ...["session", "continue", "fork"],
  ],
  letters: "scp",
};
