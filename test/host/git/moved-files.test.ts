import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  fileStateOf,
  keepBefore,
  type MovedFile,
  type MovePlaces,
  settleFiles,
} from "../../../src/host/git/moved-files.ts";

let places: MovePlaces;
let outside: string;

beforeEach(() => {
  const all = mkdtempSync(join(tmpdir(), "troupe-moved-"));
  onTestFinished(() => rmSync(all, { recursive: true, force: true }));
  const [root = "", stage = ""] = ["tree", "stage"].map((name) => join(all, name));
  outside = join(all, "outside");
  for (const path of [root, join(stage, "before"), join(stage, "after"), outside])
    mkdirSync(path, { recursive: true });
  places = { root, stage, ignoresCase: false };
});

/** A file, or a link where the text says so. */
function put(root: string, path: string, text: string): void {
  const place = join(root, path);
  mkdirSync(dirname(place), { recursive: true });
  const [, target] = /^-> (.*)$/.exec(text) ?? [];
  if (target === undefined) writeFileSync(place, text);
  else symlinkSync(target, place);
}

/** Prepares a change of a tree, given as what is there before and after. */
function prepare(before: Tree, after: Tree): readonly MovedFile[] {
  for (const [path, text] of Object.entries(before)) put(places.root, path, text);
  const target = { ...places, root: join(places.stage, "after") };
  for (const [path, text] of Object.entries(after)) put(target.root, path, text);
  for (const path of Object.keys(before)) keepBefore(places, path);
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths.map((path) => ({
    ...{ path, before: fileStateOf(places, path), after: fileStateOf(target, path) },
  }));
}

interface Tree {
  readonly [path: string]: string;
}

function treeAt(root: string, below = ""): Tree {
  const entries = readdirSync(join(root, below)).map((name) => join(below, name));
  return Object.assign(
    {},
    ...entries.map((path) => {
      const stat = lstatSync(join(root, path));
      if (stat.isDirectory()) return treeAt(root, path);
      const place = join(root, path);
      return {
        [path]: stat.isSymbolicLink() ? `-> ${readlinkSync(place)}` : readFileSync(place, "utf8"),
      };
    }),
  );
}

const kinds: readonly (readonly [string, Tree, Tree])[] = [
  ["an edit", { a: "1" }, { a: "2" }],
  ["a new file in new directories", {}, { "x/y/z": "1" }],
  ["a file that goes with its directories", { "x/y/z": "1" }, {}],
  ["a file that becomes a directory", { x: "1" }, { "x/y/z": "2" }],
  ["a directory that becomes a file", { "x/y/z": "1", "x/w": "1" }, { x: "2" }],
  ["a link that becomes a directory", { x: "-> a", a: "a" }, { "x/y": "2", a: "a" }],
  ["a directory that becomes a link", { "x/y": "2", a: "a" }, { x: "-> a", a: "a" }],
  ["a link that leads elsewhere", { x: "-> a" }, { x: "-> b" }],
  ["another case of a name", { "A.txt": "1" }, { "a.txt": "1" }],
];

test.each(kinds)(
  "%s goes there and back again from any mixture of both [AGT-22.merge]",
  async (_, before, after) => {
    const files = prepare(before, after);
    // Each step undoes or repeats a part of the one before it.
    for (const wanted of ["after", "before", "after", "after", "before"] as const) {
      expect(await settleFiles(places, files.slice(0, 1), wanted)).toEqual(expect.any(Array));
      expect(await settleFiles(places, files, wanted)).toEqual([]);
      expect(treeAt(places.root)).toEqual(wanted === "after" ? after : before);
    }
  },
);

test("directories that a killed process has emptied, or made and not filled, are no obstacle and do not stay [AGT-22.merge]", async () => {
  const files = prepare({ "gone/deep/a": "1", x: "1" }, { "new/deep/b": "2", "x/deep/y": "2" });
  await settleFiles(places, files, "after");
  for (const path of ["new/deep/b", "x/deep/y"]) rmSync(join(places.root, path));
  mkdirSync(join(places.root, "gone/deep"), { recursive: true });
  expect(await settleFiles(places, files, "before")).toEqual([]);
  expect(readdirSync(places.root)).toEqual(["gone", "x"]);
  await settleFiles(places, files, "after");
  mkdirSync(join(places.root, "gone/deep"), { recursive: true });
  await settleFiles(places, files, "after");
  expect(readdirSync(places.root)).toEqual(["new", "x"]);
});

test("what is in neither state stays and is named, and so is what something else stands in the way of [AGT-22.merge]", async () => {
  const before = { edited: "1", gone: "1", fine: "1" };
  const files = prepare(before, { edited: "2", gone: "2", fine: "2", "new/file": "2", other: "2" });
  put(places.root, "edited", "mine");
  rmSync(join(places.root, "gone"));
  put(places.root, "new", "in the way");
  put(places.root, "other/mine", "in the way");
  expect(await settleFiles(places, files, "after")).toEqual([
    "edited",
    "gone",
    "new/file",
    "other",
  ]);
  expect(treeAt(places.root)).toEqual({
    ...{ edited: "mine", fine: "2", new: "in the way", "other/mine": "in the way" },
  });
});

test("nothing is read or written behind a link that somebody has put there [AGT-22.merge]", async () => {
  const files = prepare({ "x/gone": "1", "x/edited": "1" }, { "x/edited": "2", "x/new": "2" });
  rmSync(join(places.root, "x"), { recursive: true });
  put(outside, "gone", "1");
  put(outside, "edited", "1");
  symlinkSync(outside, join(places.root, "x"));
  expect(await settleFiles(places, files, "after")).toEqual(["x/edited", "x/new"]);
  expect(treeAt(outside)).toEqual({ gone: "1", edited: "1" });
});

test("an edit in place of a file that was not moved yet is not taken for what it was [AGT-22.merge]", async () => {
  const files = prepare({ a: "1" }, { a: "2" });
  writeFileSync(join(places.root, "a"), "11", { flag: "r+" });
  expect(await settleFiles(places, files, "after")).toEqual(["a"]);
  expect(readFileSync(join(places.root, "a"), "utf8")).toBe("11");
});
