import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { type GitPorts, git, mustGit, streamGit, topLevel } from "./git.ts";
import { newFilePatch } from "./new-file-patch.ts";

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
  /** Absolute directory that is left out with all that is in it. */
  readonly exclude: string;
  readonly maxPatchChars: number;
}

/**
 * Compares the working tree around a directory with a commit; `no-repository` and `no-commit` say why that is
 * impossible. Raises HOST_GIT_FAILED.
 */
export async function readGitChanges(
  host: GitPorts,
  cwd: string,
  { base, exclude, maxPatchChars }: GitChangesRequest,
): Promise<GitChanges | "no-repository" | "no-commit"> {
  const root = await topLevel(host, cwd);
  if (root === undefined) return "no-repository";
  const tree = base === null ? await emptyTree(host, root) : await treeOf(host, root, base);
  if (tree === undefined) return "no-commit";
  const scope = ["--", ".", ...excluding(root, exclude)];
  const flags = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
  const diff = (more: readonly string[], onStdout: (text: string) => void) =>
    streamGit(host, { cwd: root, args: ["diff", ...more, ...flags, tree, ...scope], onStdout });
  const names: string[] = [];
  await diff(["--name-status", "-z"], (text) => void names.push(text));
  const others = ["ls-files", "--others", "--exclude-standard", "-z", ...scope];
  const untracked = fields((await mustGit(host, root, others)).stdout);
  const patch = new BoundedPatch(maxPatchChars);
  await diff([], (text) => patch.add(text));
  for (const path of untracked)
    if (!patch.isCut) patch.add(newFilePatch(root, path, maxPatchChars));
  const files = [
    ...toChanges(fields(names.join(""))),
    ...untracked.map((path) => ({ path, kind: "create" as const })),
  ];
  return {
    root,
    files: files.map((file) => ({ ...file, changedAtMs: changedAt(join(root, file.path)) })),
    patch: patch.text,
    isCut: patch.isCut,
  };
}

async function treeOf(host: GitPorts, root: string, commit: string): Promise<string | undefined> {
  const found = await git(host, root, ["rev-parse", "--quiet", "--verify", `${commit}^{tree}`]);
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

async function emptyTree(host: GitPorts, root: string): Promise<string> {
  return (await mustGit(host, root, ["hash-object", "-t", "tree", "/dev/null"])).stdout.trim();
}

function excluding(root: string, directory: string): readonly string[] {
  const path = relative(root, directory);
  return path === "" || path.startsWith("..") ? [] : [`:(top,exclude,literal)${path}`];
}

function fields(output: string): readonly string[] {
  return output.split("\0").filter((field) => field !== "");
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
