import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPackageCopy, type PackageCopy } from "./package-copy.ts";

const checkout = join(import.meta.dirname, "..", "..");

/** A checkout of its own whose command prints `text`, with what bundling needs. */
function createCheckout(text: string): PackageCopy {
  const copy = createPackageCopy({
    "src/host/reaper-main.ts": "",
    "src/host/egress/forwarder-main.ts": "",
    "src/text.ts": `export const text: string = ${JSON.stringify(text)};`,
    "src/main.ts":
      'import { text } from "./text.ts";\nconsole.log(text, import.meta.filename.endsWith(".cjs") ? "bundled" : "as it is");',
  });
  mkdirSync(join(copy.folder, "scripts"));
  for (const script of ["bundle-command.ts", "command-loader.cjs"])
    cpSync(join(checkout, "scripts", script), join(copy.folder, "scripts", script));
  mkdirSync(join(copy.folder, "node_modules"));
  for (const name of ["rolldown", "@rolldown", "@oxc-project"])
    symlinkSync(join(checkout, "node_modules", name), join(copy.folder, "node_modules", name));
  return copy;
}

function run({ bin, folder }: PackageCopy) {
  const env = { PATH: "", TROUPE_HOME: join(folder, "home") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin], { encoding: "utf8", env });
  return { status, stdout, stderr };
}

function bundlesOf({ folder }: PackageCopy): readonly string[] {
  return readdirSync(join(folder, "node_modules", ".cache", "troupe"));
}

test("a checkout bundles its sources once and starts from the bundle until one of them changes", () => {
  const copy = createCheckout("one");
  const printed = (text: string) => ({ status: 0, stdout: `${text} bundled\n`, stderr: "" });
  expect(run(copy)).toEqual(printed("one"));
  expect(run(copy)).toEqual(printed("one"));
  expect(bundlesOf(copy)).toHaveLength(1);
  writeFileSync(join(copy.folder, "src", "text.ts"), 'export const text: string = "three";');
  expect(run(copy)).toEqual(printed("three"));
});

test("bundles of sources that are gone are removed after a day", () => {
  const copy = createCheckout("one");
  run(copy);
  const [first = ""] = bundlesOf(copy);
  utimesSync(join(copy.folder, "node_modules", ".cache", "troupe", first), 1, 1);
  writeFileSync(join(copy.folder, "src", "text.ts"), 'export const text: string = "two";');
  run(copy);
  expect(bundlesOf(copy)).toHaveLength(1);
  expect(bundlesOf(copy)).not.toContain(first);
});

test("a checkout whose sources cannot be bundled lets Node say what is wrong with them", () => {
  const copy = createCheckout("one");
  writeFileSync(join(copy.folder, "src", "main.ts"), 'import { gone } from "./gone.ts";\ngone();');
  const { status, stderr } = run(copy);
  expect(status).toBe(70);
  expect(stderr).toContain("gone.ts");
});

test("a checkout without the tools for bundling runs its sources as they are", () => {
  const copy = createPackageCopy({ "src/main.ts": 'console.log("as it is");' });
  expect(run(copy)).toEqual({ status: 0, stdout: "as it is\n", stderr: "" });
});
