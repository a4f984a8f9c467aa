import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { call } from "../cli/fake-io.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";
import { PASTED_ROWS } from "./pasted-rows.ts";
import { SHOWN_ROWS } from "./shown-rows.ts";
import { FILLED, toldTexts } from "./told-texts.ts";

const SCHEMAS = ["config", "cassette"];
const OTHER = "id: other\nsteps: [{ id: s, type: shell, command: ls }]\n";

// What stands before a key that is to be written, and the key: `add dependsOn: [s]`, "(`runs: always`)".
const SHOWN_KEY =
  /(?:\b(?:add|write|use|or|with|say|agent|keys|workflow) |[`(]|\{ |configuration: )[a-z][\w.]*: (?!troupe|\$\{)\S/i;

// Colons in sentences, and what is typed elsewhere.
const NO_KEYS: readonly string[] = [
  "give this one sockets of its own: XDG_RUNTIME_DIR",
  "work in a directory that you may write to: -C DIRECTORY",
  "return a text, any JSON, or { text, signals:",
  "export default { stepTypes:",
  "name a plug-in that has it in the configuration, or give it in code",
  "or name one: TROUPE_DIR",
  "go on with it: resumeRun(",
  "look at them with ps: some services do so",
  'loadWorkflow("',
  "give it more time or budget: timeoutMs, budget",
  "or none: .agentworkforce/trajectories is the default",
  "send `Authorization: Bearer`",
  "then: troupe trust; or once: --trust",
];

/** Checks a file as `troupe validate` does. */
async function validate(
  text: string,
): Promise<{ readonly exitCode: number; readonly said: string }> {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "flow.yaml"), text);
  writeFileSync(join(directory, "other.yaml"), OTHER);
  writeFileSync(join(directory, "agents.ts"), "export const name = () => 'x';\n");
  const { exitCode, out, err } = await call(directory, ["validate", "flow.yaml"], { columns: 400 });
  return { exitCode, said: out + err };
}

function fitsSchema(path: string, text: string): string {
  const name = SCHEMAS.find((one) => path.includes(one)) ?? "workflow";
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const check = ajv.compile(JSON.parse(readFileSync(`schemas/${name}.schema.json`, "utf8")));
  return check(parse(text)) ? "" : ajv.errorsText(check.errors);
}

/** Whether a text of the sources, with what is filled in, reads like this. */
function isLike(text: string, said: string): boolean {
  return (
    plain(text).includes(plain(said)) ||
    plain(text)
      .split(FILLED)
      .every((part) => said.includes(part))
  );
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

test.each(PASTED_ROWS)(
  "what a hint shows is valid where it is to be written: $hint",
  async ({ hint, file, from, to }) => {
    const faulty = await validate(file);
    expect(faulty.said).toContain(`= ${hint}`);
    const mended = file.replace(from, () => to);
    expect(mended).not.toBe(file);
    const { exitCode, said } = await validate(mended);
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: expect.not.stringContaining(hint) });
  },
);

test.each(SHOWN_ROWS)(
  "what a hint of other files shows is valid: $hint",
  async ({ path, file }) => {
    expect(fitsSchema(path, file)).toBe("");
    if (path !== "flow.yaml") return;
    const { exitCode, said } = await validate(file);
    expect({ exitCode, said }).toEqual({ exitCode: 0, said });
  },
);

test("every hint of the sources that shows a key is among those that are tried", () => {
  const tried = [...PASTED_ROWS, ...SHOWN_ROWS].map(({ hint }) => hint);
  const shown = toldTexts().filter(({ text, isHint }) => isHint && SHOWN_KEY.test(plain(text)));
  expect(shown.length).toBeGreaterThan(45);
  const untried = shown.filter(
    ({ text }) => ![...tried, ...NO_KEYS].some((said) => isLike(text, said)),
  );
  expect(untried.map(({ place, text }) => `${place} ${text}`)).toEqual([]);
});
