import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createPackageCopy, type PackageCopy } from "./package-copy.ts";

const checkout = join(import.meta.dirname, "..", "..");

/** A checkout of its own, bundled at its first start; its command prints what it loads on demand. */
function createCheckout(): PackageCopy {
  const copy = createPackageCopy({
    "src/host/reaper-main.ts": "",
    "src/host/egress/forwarder-main.ts": "",
    "src/words.ts": 'export const words: string = "größer \u{1F600} \\u00e9";',
    "src/large.ts": `import { basename } from "node:path";\nexport const large = basename("größer/${"x".repeat(40_000)}");`,
    "src/main.ts":
      'const { words } = await import("./words.ts");\nconst { basename } = await import("node:path");\nconsole.log(words, basename("/a/b"));\nif (process.argv[2] === "replaced") (await import("node:fs")).rmSync(process.argv[3]);\nif (["large", "replaced"].includes(process.argv[2])) console.log((await import("./large.ts")).large.length);\nprocess.exitCode = process.argv[2] === "wrong" ? 2 : 0;'
        .replace(
          "const { words } = await",
          "export const finished = (async () => {\nconst { words } = await",
        )
        .concat("\n})();"),
  });
  for (const folder of ["scripts", "node_modules"]) mkdirSync(join(copy.folder, folder));
  for (const script of ["bundle-command.ts", "command-loader.cjs"])
    cpSync(join(checkout, "scripts", script), join(copy.folder, "scripts", script));
  for (const name of ["rolldown", "@rolldown", "@oxc-project"])
    symlinkSync(join(checkout, "node_modules", name), join(copy.folder, "node_modules", name));
  return copy;
}

function run({ bin, folder }: PackageCopy, ...args: readonly string[]) {
  const env = { PATH: "", TROUPE_HOME: join(folder, "home") };
  const options = { encoding: "utf8", env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], options);
  return { status, stdout, stderr };
}

/** Absolute paths of the compiled code that commands have kept. */
function keptCode({ folder }: PackageCopy): readonly string[] {
  const compiled = join(folder, "home", "cache", "compiled");
  const [version = ""] = readdirSync(compiled);
  return readdirSync(join(compiled, version))
    .filter((name) => name.startsWith("parts-"))
    .map((name) => join(compiled, version, name));
}

const PRINTED = { status: 0, stdout: "größer \u{1F600} é b\n", stderr: "" };

test("a command keeps what it compiled, for its user alone, and the next one starts with it [T2, PERF-12]", () => {
  const copy = createCheckout();
  expect(run(copy, "list")).toEqual(PRINTED);
  const [file = ""] = keptCode(copy);
  expect(file).toMatch(/parts-[0-9a-f]{16}-list\.bin$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const written = statSync(file).mtimeMs;
  expect(run(copy, "list")).toEqual(PRINTED);
  expect(statSync(file).mtimeMs).toBe(written);
});

test("compiled code that is damaged is not used and written anew [PERF-12]", () => {
  const copy = createCheckout();
  run(copy, "list");
  const [file = ""] = keptCode(copy);
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, whole.length / 2));
  expect(run(copy, "list")).toEqual(PRINTED);
  expect(readFileSync(file).length).toBeGreaterThan(whole.length / 2);
});

test("a word that is no command leaves nothing behind, and no word becomes a path [T8]", () => {
  const copy = createCheckout();
  expect(run(copy, "wrong").status).toBe(2);
  expect(keptCode(copy)).toEqual([]);
  run(copy, "../../../evil");
  expect(keptCode(copy)).toEqual([expect.stringMatching(/parts-[0-9a-f]{16}-none\.bin$/)]);
});

test("the code of bundles that are gone is removed after a week [PERF-12]", () => {
  const copy = createCheckout();
  run(copy, "list");
  const [file = ""] = keptCode(copy);
  const old = file.replace(/parts-[0-9a-f]{16}/, "parts-0123456789abcdef");
  writeFileSync(old, "");
  utimesSync(old, 1, 1);
  run(copy, "graph");
  expect(keptCode(copy)).not.toContain(old);
  expect(keptCode(copy)).toHaveLength(2);
});

test("a large part is read by a command that calls for it alone, and its code is kept as well [PERF-12]", () => {
  const copy = createCheckout();
  const withLarge = { ...PRINTED, stdout: `${PRINTED.stdout}40000\n` };
  expect(run(copy, "large")).toEqual(withLarge);
  expect(
    keptCode(copy)
      .map((file) => basename(file))
      .toSorted(),
  ).toEqual([
    expect.stringMatching(/^parts-[0-9a-f]{16}-large-[\w-]{8}\.bin$/),
    expect.stringMatching(/^parts-[0-9a-f]{16}-large\.bin$/),
  ]);
  expect(run(copy, "large")).toEqual(withLarge);
  writeFileSync(moreFile(copy), "");
  expect(run(copy, "list")).toEqual(PRINTED);
  // What was compiled is used while its source is as long.
  for (const file of keptCode(copy)) rmSync(file);
  expect(run(copy, "large")).not.toMatchObject({ status: 0 });
});

test("a command that runs while its bundle is replaced still finds its large parts [PERF-12]", () => {
  const copy = createCheckout();
  run(copy, "list");
  const answer = run(copy, "replaced", moreFile(copy));
  expect(answer).toEqual({ ...PRINTED, stdout: `${PRINTED.stdout}40000\n` });
});

/** Where the large parts of the only bundle lie. */
function moreFile({ folder }: PackageCopy): string {
  const bundles = join(folder, "node_modules", ".cache", "troupe");
  return join(bundles, readdirSync(bundles)[0] ?? "", "more.js");
}
