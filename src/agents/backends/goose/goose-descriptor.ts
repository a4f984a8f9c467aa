import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would start programs beside it, or go on with other sessions. */
const REFUSED: RefusedArguments = {
  names: [
    ...["with-extension", "with-builtin", "with-streamable-http-extension"],
    ...["with-remote-extension", "resume", "session-id", "name", "path", "recipe", "sub-recipe"],
  ],
  letters: "rn",
};

/** What Troupe knows of goose. */
export const GOOSE: ProgramDescriptor = {
  name: "goose",
  program: {
    file: "goose",
    install: "see https://block.github.io/goose",
    signIn: "goose configure",
  },
  refuses: REFUSED,
};
