const NAMES = ["7k2fq3", "4h9w2a", "6t1r8z", "2c5n0d", "9j3v7e", "1x8b6y", "5g0m3q", "8d7p4s"];
// A plan shows an id of zeros in place of one that it does not know yet.
const ID = /\b(run|qst|prm|apr)_((?!000000)[0-9a-z]{6})\b/g;

/** Gives what has a new name in every run the name that pages use for it. */
export interface ShownNames {
  /** The ids and the directory in a printed text, as pages show them. */
  readonly toShown: (text: string) => string;
  /** Those of a command that a page shows, as they are. */
  readonly toReal: (command: string) => string;
}

/** Ids get the names in the order in which they are printed, those of each kind for themselves. */
export function createShownNames(directory: string): ShownNames {
  const shownOf = new Map<string, string>();
  const realOf = new Map<string, string>();
  const rename = (id: string, kind: string): string => {
    const known = shownOf.get(id);
    if (known !== undefined) return known;
    const index = [...shownOf.values()].filter((shown) => shown.startsWith(kind)).length;
    const shown = `${kind}_${NAMES[index] ?? `${index}`.padStart(6, "0")}`;
    shownOf.set(id, shown);
    realOf.set(shown, id);
    return shown;
  };
  return {
    toShown: (text) =>
      text
        // Relative, as for a person, whose process has the same directory.
        .replaceAll(`${directory}/`, "")
        .replaceAll(directory, "/home/you/project")
        .replaceAll(ID, rename),
    toReal: (command) => command.replaceAll(ID, (shown) => realOf.get(shown) ?? shown),
  };
}
