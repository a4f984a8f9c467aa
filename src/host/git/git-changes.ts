import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { emptyTree, PATCH_FLAGS } from "./git.ts";
import type { GitDoor } from "./git-door.ts";
import type { GitHost } from "./git-repositories.ts";
import { newFilePatch } from "./new-file-patch.ts";
import { stageWork } from "./stage-work.ts";
import { fields, readWorkingChanges } from "./working-changes.ts";

/** A file that differs from a commit. */
export interface GitChange {
  /** From the root of the working tree. */
  readonly path: string;
  readonly kind: "create" | "edit" | "delete";
  /** Last change of the file, in ms since the epoch; undefined when it is gone. */
  readonly changedAtMs: number | undefined;
}

/** What differs between a commit and the working tree, files included that git does not know yet. */
export interface GitChanges {
  /** Of the working tree, absolute. */
  readonly root: string;
  readonly files: readonly GitChange[];
  /** As `git apply` takes it, unless it is cut. */
  readonly patch: string;
  /** Whether the end of the patch is left out. */
  readonly isCut: boolean;
}

/** What to compare. */
export interface GitChangesRequest {
  /** Id of a commit; null for the time before the first. */
  readonly base: string | null;
  readonly maxPatchChars: number;
}

/**
 * Compares the working tree around a directory with a commit, what is Troupe's own left out; `no-repository` and
 * `no-commit` say why that is impossible. Raises HOST_GIT_FAILED.
 */
export async function readGitChanges(
  { repositories }: GitHost,
  cwd: string,
  request: GitChangesRequest,
): Promise<GitChanges | "no-repository" | "no-commit"> {
  const door = await repositories.open(cwd);
  return door === undefined ? "no-repository" : door.alone(() => changesOf(door, request));
}

async function changesOf(
  door: GitDoor,
  { base, maxPatchChars }: GitChangesRequest,
): Promise<GitChanges | "no-commit"> {
  if (base !== null && !(await isCommit(door, base))) return "no-commit";
  const { root } = door.place;
  const changes = await readWorkingChanges(door);
  const { tree } = await stageWork(door, { changes, takesNew: false, objects: undefined });
  const from = base ?? (await emptyTree(door));
  const own = door.ownFiles.map((path) => relative(root, path));
  const scope = ["--", ".", ...own.filter(isInside).map((path) => `:(top,exclude,literal)${path}`)];
  const names = await door.must([
    "diff-tree",
    "--name-status",
    "-z",
    ...PATCH_FLAGS,
    from,
    tree,
    ...scope,
  ]);
  const patch = new BoundedPatch(maxPatchChars);
  const onStdout = (text: string) => patch.add(text);
  await door.must(["diff-tree", "-p", ...PATCH_FLAGS, from, tree, ...scope], { onStdout });
  const untracked = changes.files.filter(({ kind }) => kind === "new").map(({ path }) => path);
  for (const path of untracked)
    if (!patch.isCut) patch.add(newFilePatch(root, path, maxPatchChars));
  const files = [
    ...toChanges(fields(names.stdout)),
    ...untracked.map((path) => ({ path, kind: "create" as const })),
  ];
  return {
    root,
    files: files.map((file) => ({ ...file, changedAtMs: changedAt(join(root, file.path)) })),
    patch: patch.text,
    isCut: patch.isCut,
  };
}

async function isCommit(door: GitDoor, commit: string): Promise<boolean> {
  return (await door.run(["cat-file", "-e", `${commit}^{commit}`])).exitCode === 0;
}

function isInside(path: string): boolean {
  return path !== "" && !path.startsWith("..");
}

/** `--name-status -z` prints a letter and a path in turn. */
function toChanges(fieldsOfOutput: readonly string[]): readonly Pick<GitChange, "path" | "kind">[] {
  const changes: Pick<GitChange, "path" | "kind">[] = [];
  for (let index = 0; index + 1 < fieldsOfOutput.length; index += 2) {
    const path = fieldsOfOutput[index + 1] ?? "";
    changes.push({ path, kind: kindOf(fieldsOfOutput[index] ?? "") });
  }
  return changes;
}

function kindOf(letter: string): GitChange["kind"] {
  if (letter === "A") return "create";
  return letter === "D" ? "delete" : "edit";
}

function changedAt(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Keeps the beginning of a text, up to the end of a line. */
class BoundedPatch {
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
