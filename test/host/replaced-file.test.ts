import { linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../src/host/workspace.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

const never = new AbortController().signal;
const watch = { isKnown: (text: string | undefined) => text === "old", signal: never };

test("what is replaced is given back unless it is known, and nothing stays beside the file", async () => {
  const root = temporaryDirectory();
  const file = join(root, "list.md");
  const workspace = createWorkspace(root);
  expect(await workspace.replaceText("list.md", "old", watch)).toBeUndefined();
  expect(await workspace.replaceText("list.md", "new", watch)).toBeUndefined();
  writeFileSync(file, "of a person");
  expect(await workspace.replaceText("list.md", "newer", watch)).toBe("of a person");
  expect(readFileSync(file, "utf8")).toBe("newer");
  expect(readdirSync(root)).toEqual(["list.md"]);
});

test("what was replaced by a process that died then is given back by the next one, which writes no more", async () => {
  const root = temporaryDirectory();
  const [file, aside] = [join(root, "list.md"), join(root, ".list.md.troupe-aside")];
  writeFileSync(aside, "of a person");
  writeFileSync(file, "new");
  const workspace = createWorkspace(root);
  expect(await workspace.replaceText("list.md", "new", watch)).toBe("of a person");
  expect(readFileSync(file, "utf8")).toBe("new");
  // It died before it replaced anything.
  writeFileSync(file, "old");
  linkSync(file, aside);
  expect(await workspace.replaceText("list.md", "new", watch)).toBeUndefined();
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(root)).toEqual(["list.md"]);
});
