import type { GitDoor } from "./git-door.ts";
import { fields } from "./working-changes.ts";

/** A file that differs between two trees. */
export interface TreeDifference {
  /** From the root of the working tree. */
  readonly path: string;
  readonly kind: "create" | "edit" | "delete";
}

/** Two trees or commits, and what of them is looked at. */
export interface TreePair {
  readonly from: string;
  readonly to: string;
  /** Of paths, as git takes them behind `--`. */
  readonly scope: readonly string[];
}

/** Flags of `diff-tree` with which it starts nothing and enters nothing. */
export const PATCH_FLAGS: readonly string[] = [
  ...["-r", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"],
  ...["--submodule=short", "--ignore-submodules=none"],
];

/** The tree of no files, by the hash that the repository has. Raises HOST_GIT_FAILED. */
export async function emptyTree(door: Pick<GitDoor, "must">): Promise<string> {
  const made = await door.must(["hash-object", "-w", "-t", "tree", "--stdin"], { stdin: "" });
  return made.stdout.trim();
}

/** The files that differ between two trees. Raises HOST_GIT_FAILED. */
export async function compareTrees(
  door: GitDoor,
  { from, to, scope }: TreePair,
): Promise<readonly TreeDifference[]> {
  const flags = ["--name-status", "-z", ...PATCH_FLAGS];
  const names = await door.must(["diff-tree", ...flags, from, to, "--", ...scope]);
  return toChanges(fields(names.stdout));
}

/** Adds the patch from one tree to the other. Raises HOST_GIT_FAILED. */
export async function addPatch(
  door: GitDoor,
  { from, to, scope }: TreePair,
  patch: BoundedPatch,
): Promise<void> {
  const onStdout = (text: string) => patch.add(text);
  await door.must(["diff-tree", "-p", ...PATCH_FLAGS, from, to, "--", ...scope], { onStdout });
}

/** Keeps the beginning of a text, up to the end of a line. */
export class BoundedPatch {
  readonly #maxChars: number;
  readonly #parts: string[] = [];
  #chars = 0;
  #isCut = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get text(): string {
    const text = this.#parts.join("");
    return this.#isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  }

  add(text: string): void {
    if (this.#isCut) return;
    const room = this.#maxChars - this.#chars;
    this.#isCut = text.length > room;
    this.#parts.push(text.slice(0, room));
    this.#chars += Math.min(text.length, room);
  }
}

/** `--name-status -z` prints a letter and a path in turn. */
function toChanges(fieldsOfOutput: readonly string[]): readonly TreeDifference[] {
  const changes: TreeDifference[] = [];
  for (let index = 0; index + 1 < fieldsOfOutput.length; index += 2) {
    const path = fieldsOfOutput[index + 1] ?? "";
    changes.push({ path, kind: kindOf(fieldsOfOutput[index] ?? "") });
  }
  return changes;
}

function kindOf(letter: string): TreeDifference["kind"] {
  if (letter === "A") return "create";
  return letter === "D" ? "delete" : "edit";
}
