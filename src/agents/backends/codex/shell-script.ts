const SHELL = /^(?:\/[\w./-]+\/)?(?:ba|z|da|k)?sh (?:-l?c) /;

/**
 * The script of a command line such as `/bin/bash -lc 'npm test'`, so that rules are about what the agent
 * wrote; the whole line when it is not exactly a shell with one quoted script.
 */
export function scriptOf(commandLine: string): string {
  const [shell] = SHELL.exec(commandLine) ?? [];
  if (shell === undefined) return commandLine;
  return oneWord(commandLine.slice(shell.length)) ?? commandLine;
}

/** The word that a text is for a shell; undefined when it is more than one, or anything but quoted text. */
function oneWord(text: string): string | undefined {
  let word = "";
  let rest = text;
  while (rest !== "") {
    const part = quotedPart(rest);
    if (part === undefined) return undefined;
    word += part.text;
    rest = rest.slice(part.length);
  }
  return word;
}

function quotedPart(text: string): { readonly text: string; readonly length: number } | undefined {
  const [single, inSingle] = /^'([^']*)'/.exec(text) ?? [];
  if (single !== undefined) return { text: inSingle ?? "", length: single.length };
  const [double, inDouble] = /^"((?:[^"\\$`]|\\["\\$`])*)"/.exec(text) ?? [];
  if (double !== undefined)
    return { text: (inDouble ?? "").replaceAll(/\\(["\\$`])/g, "$1"), length: double.length };
  const [plain] = /^[\w@%+=:,./-]+/.exec(text) ?? [];
  return plain === undefined ? undefined : { text: plain, length: plain.length };
}
