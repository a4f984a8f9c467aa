import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  renderArgv,
  renderCommand,
  renderShell,
} from "../../../src/programs/language/templates/render-command.ts";
import { lookupIn } from "../../../src/programs/language/templates/render-template.ts";

const HOSTILE = [
  "$(touch pwned)",
  "`touch pwned`",
  "; touch pwned",
  "&& touch pwned #",
  "\n touch pwned\n",
  "'; touch pwned; '",
  '"; touch pwned; "',
  "'\"$(touch pwned)\"'",
  "${IFS}touch${IFS}pwned",
  "$HOME *  ? [a-z] ~ \\ \\\\ \\n",
  "{{task}} ${{ task }} $TROUPE_VALUE_1",
  "-rf --help",
  "a\tb\r\nc",
  "ünï 漢字 👍",
  "",
];

const POSITIONS = [
  "printf %s {{task}}",
  'printf %s "{{task}}"',
  "printf %s '{{task}}'",
  "printf %s \"$(printf %s '{{task}}')\"",
  'printf %s "$(printf %s {{task}})"',
  'printf %s "$(printf %s "{{task}}")"',
  "# it's a \"comment\nprintf %s {{task}}",
  "printf %s \\'{{task}}\\' | sed \"s/^'//; s/'$//\" > /dev/null; printf %s {{task}}",
  'x={{task}}; printf %s "$x"',
  "sh -c 'printf %s \"$1\"' _ {{task}}",
];

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-shell-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function runShell(command: string, env: { readonly [name: string]: string }): string {
  return execFileSync("/bin/sh", ["-c", command], {
    cwd: directory,
    env: { PATH: process.env["PATH"], HOME: "/nowhere", ...env },
    encoding: "utf8",
  });
}

describe("shell commands", () => {
  test.each(POSITIONS)("no value is read as shell text in %j [WF-4, T6]", (text) => {
    for (const task of HOSTILE) {
      const { command, env } = renderShell(text, lookupIn({ task }));
      // A command substitution drops line breaks at the end of what it prints.
      const expected = text.includes("$(printf") ? task.replace(/\n+$/, "") : task;
      expect(runShell(command, env), JSON.stringify(task)).toBe(expected);
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test("the text of the command does not depend on the values [WF-4, T6]", () => {
    const texts = HOSTILE.map(
      (task) => renderShell("a {{task}} 'b {{task}}'", lookupIn({ task })).command,
    );
    expect(new Set(texts)).toEqual(
      new Set(["a \"${TROUPE_VALUE_1}\" 'b '\"${TROUPE_VALUE_1}\"''"]),
    );
  });

  test("what the parser of positions cannot follow still runs no value [WF-4, T6]", () => {
    for (const text of [
      "case x in x) printf %s '{{task}}';; esac",
      "printf %s `printf %s '{{task}}'`",
      'printf %s "`printf %s {{task}}`"',
      "echo '' \"' {{task}}\"",
    ]) {
      for (const task of HOSTILE) {
        const { command, env } = renderShell(text, lookupIn({ task }));
        runShell(command, env);
      }
    }
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("argv", () => {
  test("a value is text of its one element [WF-4, T6]", () => {
    for (const task of HOSTILE) {
      expect(renderArgv(["run", "--task={{task}}", "{{task}}"], lookupIn({ task }))).toEqual([
        "run",
        `--task=${task}`,
        task,
      ]);
    }
  });

  test("a value over 64 KiB is refused with its size, in either form [WF-4]", () => {
    const lookup = lookupIn({ task: "ü".repeat(32_769) });
    for (const command of ["echo {{task}}", ["echo", "{{task}}"]])
      expect(() => renderCommand(command, lookup)).toThrow(
        expect.objectContaining({
          code: "WORKFLOW_VALUE_TOO_LARGE",
          message: "{{task}} has 65538 bytes, too many for a command line (at most 65536)",
        }),
      );
    expect(renderCommand(["{{task}}"], lookupIn({ task: "ü".repeat(32_768) })).env).toEqual({});
  });

  test("NUL, which neither argv nor the environment can hold, becomes U+FFFD [WF-4]", () => {
    const lookup = lookupIn({ task: "a\0b" });
    expect(renderCommand(["{{task}}"], lookup).command).toEqual(["a\uFFFDb"]);
    expect(renderCommand("echo {{task}}", lookup).env).toEqual({ TROUPE_VALUE_1: "a\uFFFDb" });
  });
});
