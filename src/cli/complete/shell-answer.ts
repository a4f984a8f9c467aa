import type { Candidate } from "../../app/setup/completion/candidate.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Shell } from "./shell-scripts.ts";

// A shell may expand what it is offered: `$(…)`, quotes, globs and blanks must not come from the name of a
// file. Such names are not offered; they can still be typed.
const HARMLESS = /^[\p{L}\p{N}_@.=+%,/:-]+$/u;
const MAX_CANDIDATES = 500;
const MAX_ABOUT_CHARS = 72;

/** Candidates as the script of a shell reads them: one line each. `hidden` is what the shell keeps before them. */
export function shellAnswer(
  candidates: readonly Candidate[],
  shell: Shell,
  hidden: string,
): readonly string[] {
  return candidates
    .filter(({ value }) => HARMLESS.test(value))
    .slice(0, MAX_CANDIDATES)
    .map(({ value, about }) => toLine(value.slice(hidden.length), aboutLine(about), shell));
}

function toLine(value: string, about: string, shell: Shell): string {
  switch (shell) {
    case "bash":
      return value;
    case "zsh":
      return about === "" ? zshText(value) : `${zshText(value)}:${about}`;
    case "fish":
      return about === "" ? value : `${value}\t${about}`;
    case "powershell":
      // A bare @ begins a splat there.
      return `${value.startsWith("@") ? `'${value}'` : value}\t${about === "" ? value : about}`;
  }
}

function zshText(text: string): string {
  return text.replaceAll(":", "\\:");
}

function aboutLine(about: string | undefined): string {
  const line = toPrintable((about ?? "").slice(0, 4 * MAX_ABOUT_CHARS)).trim();
  return line.length <= MAX_ABOUT_CHARS ? line : `${line.slice(0, MAX_ABOUT_CHARS - 1)}…`;
}
