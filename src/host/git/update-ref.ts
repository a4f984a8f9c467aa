import { dirname, join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import type { Landing } from "./git-door.ts";
import { assertPlainDirectory, replaceGitFile } from "./git-files.ts";
import { readBranchHead } from "./git-head.ts";

/** A reference that is to move, if it still stands where it is expected. */
export interface RefMove {
  /** Whole name. */
  readonly ref: string;
  /** Null: it must not be there yet. */
  readonly from: string | null;
  readonly to: string;
  /** For the log of the reference. */
  readonly message: string;
}

/** Moves a reference; of those who try at once, one wins. Raises HOST_GIT_FAILED. */
export async function moveRef(
  landing: Landing,
  { ref, from, to, message }: RefMove,
): Promise<void> {
  const { commonDirectory } = landing.place;
  for (
    let path = dirname(join(commonDirectory, ref));
    path !== commonDirectory;
    path = dirname(path)
  )
    assertPlainDirectory(path);
  const expected = from ?? "0".repeat(to.length);
  await landing.must(["update-ref", "--no-deref", "-m", message, ref, to, expected]);
}

/** Has what a working tree has checked out stand at another commit. Raises HOST_GIT_FAILED. */
export async function moveHead(
  landing: Landing,
  { from, to, message }: Omit<RefMove, "ref">,
): Promise<void> {
  const { gitDirectory, root } = landing.place;
  const head = readBranchHead(landing.place);
  if (head === undefined || head.commit !== from)
    throw gitFailed({ cwd: root, action: "move HEAD", reason: "it stands elsewhere by now" });
  if (head.branch !== undefined)
    return moveRef(landing, { ref: `refs/heads/${head.branch}`, from, to, message });
  replaceGitFile(gitDirectory, "HEAD", `${to}\n`);
}
