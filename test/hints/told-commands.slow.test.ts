import { expect, test } from "vitest";
import { parseCommandLine } from "../../src/cli/command/parse-command-line.ts";
import { loadCommands } from "../../src/cli/registry.ts";
import { createFakeIo } from "../cli/fake-io.ts";
import { toldCommands } from "./told-commands.ts";
import { toldTexts } from "./told-texts.ts";

const commands = await loadCommands();
const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

/** What the parser says of the commands in a text; empty when all can be typed. */
function faultsOf(text: string): readonly string[] {
  return toldCommands(text, commands).flatMap(({ name, typed }) => {
    if (typed.length === 0) return [...names, "help"].includes(name) ? [] : [`no command ${name}`];
    try {
      parseCommandLine([name, ...typed], commands, createFakeIo());
      return [];
    } catch (error) {
      return [`${[name, ...typed].join(" ")}: ${error instanceof Error ? error.message : ""}`];
    }
  });
}

test("every command that the sources suggest can be typed as it stands", () => {
  const texts = toldTexts();
  const found = texts.flatMap(({ text }) => toldCommands(text, commands));
  expect(found.length).toBeGreaterThan(250);
  expect(found.filter(({ typed }) => typed.length > 0).length).toBeGreaterThan(100);
  const faults = texts.flatMap(({ place, text }) =>
    faultsOf(text).map((fault) => `${place} ${fault}`),
  );
  expect(faults).toEqual([]);
});

test.each([
  ["go on: troupe resume RUN --nothing", "unknown option"],
  ["look with troupe shwo RUN", "no command shwo"],
  ["troupe merge RUN OTHER brings them together", "too many arguments"],
  ['troupe run FILE "the task" --approve perhaps', "Allowed choices"],
])("a suggestion that cannot be typed is found: %s", (text, fault) => {
  expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
});
