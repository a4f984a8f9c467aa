import { defineError } from "../../foundation/errors.ts";

export const mirrorRefused = defineError("MESSAGE_MIRROR_REFUSED", {
  message: (details: { path: string; problem: string }) =>
    `${details.path} is not used to show the run: ${details.problem}`,
  hint: () => "move it away; the file is written as soon as its place is free",
  about:
    "The channel and the documents of a run are shown in files of its context directory. Only regular files of that directory are written: a symbolic link, a pipe or a directory in such a place, or a context directory that lies somewhere else than it did, is left alone. The run goes on without the file.",
});
