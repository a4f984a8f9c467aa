import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const checkout = join(import.meta.dirname, "..", "..");

/** A package of its own folder with this checkout's `bin` and the given files; removed after the test. */
export interface PackageCopy {
  readonly folder: string;
  readonly bin: string;
  /** Puts this Node where the package or PATH may find it. */
  linkNode(path: string): string;
  /** A file that makes the Node that requires it say that it is older. */
  readonly oldVersion: string;
}

/** Creates a package copy of `files`, by path; `package.json` says version 9.8.7. */
export function createPackageCopy(files: { readonly [path: string]: string }): PackageCopy {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(checkout, "bin"), join(folder, "bin"), { recursive: true });
  const write = (path: string, text: string): string => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    return target;
  };
  write("package.json", JSON.stringify({ name: "troupe", version: "9.8.7", type: "module" }));
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    folder,
    bin: join(folder, "bin", "troupe.js"),
    linkNode: (path) => {
      const target = join(folder, path);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(process.execPath, target);
      return dirname(target);
    },
    oldVersion: write(
      "old-version.cjs",
      'Object.defineProperty(process, "version", { value: "v18.20.0" });',
    ),
  };
}
