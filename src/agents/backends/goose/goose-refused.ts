import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would start programs beside it, or go on with other sessions. */
export const GOOSE_REFUSED: RefusedArguments = {
  names: [
    ...["with-extension", "with-builtin", "with-streamable-http-extension"],
    ...["with-remote-extension", "resume", "session-id", "name", "path", "recipe", "sub-recipe"],
  ],
  letters: "rn",
};
