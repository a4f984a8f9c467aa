import { defineError } from "../../../foundation/errors.ts";

export const trustUnreadable = defineError("TRUST_UNREADABLE", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} cannot be believed: ${details.problem}`,
  hint: ({ file }) => `look at ${file}, then remove it and trust your projects again: troupe trust`,
  about:
    "The list of trusted projects is damaged, or others may write to it. Until that is mended no project is trusted.",
});

export const trustUnwritable = defineError("TRUST_UNWRITABLE", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} cannot be written: ${details.problem}`,
  hint: () => "make its directory writable, set TROUPE_HOME, or trust for one run: --trust",
  about:
    "Which projects are trusted is kept in the state directory of the user; TROUPE_HOME or XDG_STATE_HOME moves it.",
});
