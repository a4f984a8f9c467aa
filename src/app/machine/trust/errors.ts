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

export const pinsUnreadable = defineError("PINS_UNREADABLE", {
  message: (details: { file: string; problem: string }) =>
    `${details.file}, which pins the tools of MCP servers, cannot be believed: ${details.problem}`,
  hint: ({ file }) =>
    `look at ${file}; to pin the tools of the project again as they are now: troupe trust --revoke, or remove the file`,
  about:
    "What tools of MCP servers say of themselves is pinned per project in the state directory of the user. A file that is damaged, written by a later version, or open to other users stays as it is, and agents with MCP servers do not work in that project meanwhile: nobody could say which tools have changed.",
});

export const pinsUnwritable = defineError("PINS_UNWRITABLE", {
  message: (details: { file: string; problem: string }) =>
    `${details.file}, which pins the tools of MCP servers, cannot be written: ${details.problem}`,
  hint: () => "make its directory writable, or set TROUPE_HOME",
  about:
    "What tools of MCP servers say of themselves is pinned at first use, and again when you allow a change. Without a place for that, agents with MCP servers do not work. TROUPE_HOME or XDG_STATE_HOME moves it.",
});
