import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const COPIED = ["bin", "src", "scripts", "assets", "package.json", "tsconfig.json"];

/** What `troupe` printed in a copy. */
export interface Printed {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** A copy of this checkout that tests change as somebody who adds something would. */
export interface CopiedCheckout {
  /** Writes a new file. */
  add(path: string, text: string): void;
  /** Imports a name from a new file and puts it into the list of a registry, after another name. */
  register(
    path: string,
    name: string,
    place: { readonly from: string; readonly after: string },
  ): void;
  /** Puts a line at the end of the list of a registry, or before the entry of a name. */
  list(path: string, line: string, before?: string): void;
  /** Types of what these files import. Resolves to what the compiler says; empty when it is content. */
  typecheck(...paths: readonly string[]): string;
  /** Makes the generated schemas anew. */
  writeSchemas(): void;
  /** Begins a project, in which commands are typed from then on. */
  beginProject(): void;
  /** A command of the copy, in the project. */
  troupe(...args: readonly string[]): Printed;
  /** Writes a file of the project. */
  write(path: string, text: string): void;
  /** Puts a program of node onto the PATH. */
  install(program: string, text: string): void;
  /** Removes it with its projects. */
  remove(): void;
}

/** Copies the checkout. */
export function copyCheckout(): CopiedCheckout {
  const directory = mkdtempSync(join(tmpdir(), "troupe-extension-"));
  const checkout = join(directory, "checkout");
  let project = directory;
  mkdirSync(checkout);
  for (const name of COPIED) cpSync(join(root, name), join(checkout, name), { recursive: true });
  mkdirSync(join(checkout, "schemas"));
  mkdirSync(join(checkout, "node_modules"));
  // Not the folder itself: what is built of the copy lies in it.
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache")
      symlinkSync(join(root, "node_modules", name), join(checkout, "node_modules", name));
  const put = (base: string) => (path: string, text: string) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  return {
    add: put(checkout),
    write: (path, text) => put(project)(path, text),
    beginProject: () => {
      project = mkdtempSync(join(directory, "project-"));
      mkdirSync(join(project, ".troupe"));
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
    install: (program, text) => {
      put(directory)(`bin/${program}`, `#!${process.execPath}\n${text}`);
      chmodSync(join(directory, "bin", program), 0o755);
    },
    register: (path, name, { from, after }) => {
      const file = join(checkout, path);
      const text = readFileSync(file, "utf8");
      const listed = text.replace(new RegExp(`(= \\[[^;]*?\\b${after})(?!\\w)`), `$1, ${name}`);
      if (listed === text) throw new Error(`${path} lists no ${after}`);
      writeFileSync(file, `import { ${name} } from ${JSON.stringify(from)};\n${listed}`);
    },
    list: (path, line, before) => {
      const file = join(checkout, path);
      const text = readFileSync(file, "utf8");
      const place =
        before === undefined
          ? /^(?=\](?:;$| as const ))/m
          : new RegExp(`^(?= {2}\\{\\s+name: "${before}")`, "m");
      const listed = text.replace(place, () => `${line}\n`);
      if (listed === text) throw new Error(`${path} has no place for a line`);
      writeFileSync(file, listed);
    },
    typecheck: (...paths) => {
      const compilerOptions = { incremental: true, tsBuildInfoFile: "types.tsbuildinfo" };
      const config = { extends: "./tsconfig.json", compilerOptions, include: [], files: paths };
      put(checkout)("tsconfig.extension.json", JSON.stringify(config));
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const args = [tsc, "--noEmit", "-p", "tsconfig.extension.json"];
      return spawnSync(process.execPath, args, { cwd: checkout, encoding: "utf8" }).stdout;
    },
    writeSchemas: () => {
      mkdirSync(join(checkout, "docs/reference"), { recursive: true });
      execFileSync(process.execPath, ["scripts/write-schemas.ts"], { cwd: checkout });
    },
    troupe: (...args) => {
      const command = [join(checkout, "bin/troupe.js"), ...args];
      const env = {
        PATH: `${join(directory, "bin")}${delimiter}${process.env["PATH"]}`,
        HOME: directory,
        NO_COLOR: "1",
      };
      const ended = spawnSync(process.execPath, command, { cwd: project, env, encoding: "utf8" });
      return { exitCode: ended.status, out: ended.stdout, err: ended.stderr };
    },
  };
}
