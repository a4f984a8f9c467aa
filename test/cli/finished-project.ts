import { rmSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { call, makeProject } from "./fake-io.ts";

/** What a project holds, and the command lines that were typed in it. */
export interface FinishedProject {
  readonly files: { readonly [path: string]: string };
  readonly commands: readonly (readonly string[])[];
}

/**
 * A project whose runs are over, for all tests of a file that only look at it: runs cost more than looks. The result
 * tells where it is; it goes after the last test.
 */
export function finishedProject({ files, commands }: FinishedProject): () => string {
  let root = "";
  beforeAll(async () => {
    root = makeProject(files);
    for (const args of commands) await call(root, args);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => root;
}
