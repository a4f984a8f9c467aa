import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { splitWords } from "../../src/cli/editor/edit-text.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { createFakeIo } from "../cli/fake-io.ts";
import { parseConsole, type ShownCommand } from "./console-block.ts";
import { type Page, root, textOf } from "./pages.ts";
import { createShownNames } from "./shown-names.ts";
import { isShown } from "./shown-output.ts";

/** A command that did not do what its page says. */
export interface Untrue extends ShownCommand {
  readonly printed: readonly string[];
  readonly exited: number;
}

interface Place {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

interface Done {
  readonly exitCode: number;
  readonly text: string;
}

/** Does all that a page says, in an empty directory: its files are written, its commands run in order. */
export async function runPage({ blocks }: Page, directory: string): Promise<readonly Untrue[]> {
  const place = prepare(directory);
  const names = createShownNames(place.cwd);
  const untrue: Untrue[] = [];
  for (const block of blocks) {
    if (block.file !== undefined) writeInto(place.cwd, block.file, textOf(block));
    if (block.language !== "console") continue;
    for (const shown of parseConsole(block)) {
      const command = names.toReal(shown.command);
      const done = await carryOut(command, place, block.flags.includes("process"));
      const printed = linesOf(names.toShown(done.text));
      const isTrue = isShown(shown.output, printed) && done.exitCode === shown.exitCode;
      if (!isTrue) untrue.push({ ...shown, printed, exited: done.exitCode });
    }
  }
  return untrue;
}

/** The page as it would be if it showed what was printed. */
export function corrected({ text }: Page, untrue: readonly Untrue[]): string {
  const lines = text.split("\n");
  for (const { line, output, printed } of untrue.toReversed())
    lines.splice(line - 1, output.length, ...printed);
  return lines.join("\n");
}

function prepare(directory: string): Place {
  const cwd = join(directory, "project");
  const home = join(directory, "home");
  const bin = join(directory, "bin");
  mkdirSync(cwd);
  mkdirSync(home, { mode: 0o700 });
  const start = [process.execPath, join(root, "bin/troupe.js")].map((path) => `'${path}'`);
  writeInto(bin, "troupe", `#!/bin/sh\nexec ${start.join(" ")} "$@"\n`);
  chmodSync(join(bin, "troupe"), 0o700);
  // Programs of a page import the package by its name, as those of users do.
  const named = join(cwd, "node_modules/troupe");
  const exports = { ".": "./index.js", "./testing": "./testing.js" };
  writeInto(named, "package.json", JSON.stringify({ name: "troupe", type: "module", exports }));
  writeInto(named, "index.js", `export * from ${JSON.stringify(join(root, "src/index.ts"))};\n`);
  const testing = JSON.stringify(join(root, "src/testing/index.ts"));
  writeInto(named, "testing.js", `export * from ${testing};\n`);
  const zod = import.meta.resolve("zod");
  writeInto(join(cwd, "node_modules/zod"), "index.js", `export * from ${JSON.stringify(zod)};\n`);
  writeInto(join(cwd, "node_modules/zod"), "package.json", '{ "name": "zod", "type": "module" }');
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local/state"),
    // The page's daemon is its own, and goes soon if the page does not stop it.
    XDG_RUNTIME_DIR: home,
    TROUPE_DAEMON_IDLE: "5s",
    NODE_NO_WARNINGS: "1",
    TROUPE_CALLED_AS: "troupe",
  };
  return { cwd, env };
}

function writeInto(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

function carryOut(command: string, place: Place, needsProcess: boolean): Promise<Done> {
  const words = /[|&;<>$`*]/.test(command) || needsProcess ? [] : (splitWords(command) ?? []);
  const [program, ...args] = words;
  return program === "troupe" ? callTroupe(args, place) : callShell(command, place);
}

async function callTroupe(args: readonly string[], { cwd, env }: Place): Promise<Done> {
  const io = createFakeIo({ cwd, env });
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const both = {
    ...io,
    stdout: { ...io.stdout, write },
    stderr: { ...io.stderr, write },
  };
  const exitCode = await runCli(args, both);
  return { exitCode, text };
}

function callShell(command: string, { cwd, env }: Place): Promise<Done> {
  return new Promise((resolve, reject) => {
    const shell = spawn("sh", ["-c", `${command}\n`], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    const take = (part: string) => {
      text += part;
    };
    shell.stdout.setEncoding("utf8").on("data", take);
    shell.stderr.setEncoding("utf8").on("data", take);
    shell.on("error", reject);
    shell.on("close", (code, signal) =>
      resolve({ exitCode: code ?? (signal === "SIGKILL" ? 137 : 1), text }),
    );
  });
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
