/** What a value of the command line names. */
export type ValueKind =
  | "run"
  | "target"
  | "file-or-run"
  | "workflow"
  | "template"
  | "agent"
  | "step"
  | "item"
  | "code"
  | "file"
  | "directory"
  | "unknown";

// Commands describe their values in help by one word; that word says enough.
const BY_OPTION: ReadonlyMap<string, ValueKind> = new Map([
  ["--agent id", "agent"],
  ["--step id", "step"],
  ["--from step", "step"],
  ["--only step", "step"],
  ["--at seq-or-step", "step"],
]);
const BY_WORD: ReadonlyMap<string, ValueKind> = new Map([
  ["run", "run"],
  ["run-b", "run"],
  ["runs", "run"],
  ["target", "target"],
  ["file-or-run", "file-or-run"],
  ["file", "workflow"],
  ["files", "workflow"],
  ["template", "template"],
  ["id", "item"],
  ["code", "code"],
  ["path", "file"],
  ["directory", "directory"],
]);

/** The kind of a value by the word that stands for it in help, and by its option. */
export function valueKindOf(word: string, option = ""): ValueKind {
  return BY_OPTION.get(`${option} ${word}`) ?? BY_WORD.get(word) ?? "unknown";
}
