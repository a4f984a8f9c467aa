import { defineError } from "../../foundation/errors.ts";

export const writeRefused = defineError("FILE_WRITE_REFUSED", {
  message: (details: { file: string; reason: string }) =>
    `${details.file} cannot be written: ${details.reason}; nothing was written`,
  hint: () => "work in a directory that you may write to: -C DIRECTORY",
  about:
    "All places are checked before the first file is written, and what was written is taken back when a later file fails.",
});

export const fileExists = defineError("FILE_EXISTS", {
  message: (details: { file: string }) => `${details.file} exists and is left as it is`,
  hint: () => "choose another name with --name NAME, or replace it with --force",
  about: "`troupe init` replaces no file of yours unless --force says so. Nothing was written.",
});

export const fileLeadsOut = defineError("FILE_LEADS_OUT", {
  message: (details: { file: string; root: string }) =>
    `${details.file} is a link that leads out of ${details.root}; nothing was written`,
  hint: () => "remove the link, or work in the directory that it leads to",
  about:
    "Files are written only below the directory that was named. A link in a repository could otherwise lead anywhere.",
});
