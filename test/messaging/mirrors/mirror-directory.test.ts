import { mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MirrorDirectory } from "../../../src/messaging/mirrors/mirror-directory.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";

test.each([
  ["above it", "told", "told/of/runs"],
  ["in its place", "told", "told"],
])("nothing is made where a link %s leads out of the root [T11, T16]", (_where, link, path) => {
  const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
  symlinkSync(outside, join(root, link));
  const directory = new MirrorDirectory(join(root, path), root);
  expect(() => directory.prepare()).toThrow("leads out");
  expect(readdirSync(outside)).toEqual([]);
});

test("a directory that was swapped for a link is neither used nor made anew on the other side [T11, T16]", async () => {
  const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
  const directory = new MirrorDirectory(join(root, "told/of/runs"), root);
  await directory.replace("a.md", ["first"]);
  expect(readdirSync(join(root, "told/of/runs"))).toEqual(["a.md"]);
  mkdirSync(join(root, "elsewhere"));
  renameSync(join(root, "told"), join(root, "elsewhere/told"));
  symlinkSync(outside, join(root, "told"));
  await expect(directory.replace("a.md", ["second"])).rejects.toMatchObject({
    code: "MESSAGE_MIRROR_REFUSED",
  });
  expect(readdirSync(outside)).toEqual([]);
});
