import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { registerSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { parseSource } from "../../src/workflows/source/parse-source.ts";
import { toValue } from "../../src/workflows/source/source-node.ts";
import { repeatLines } from "../../src/workflows/templates/built-in-templates.ts";
import { load } from "./load-options.ts";
import { MISTAKES } from "./mistakes.ts";
import { loadSteps } from "./steps/load-steps.ts";
import { MISTAKES as STEP_MISTAKES } from "./steps/mistakes.ts";

type Fits = (data: unknown) => Promise<boolean> | boolean;

const root = join(import.meta.dirname, "../..");
const SCHEMAS = ["workflow", "cassette", "config"] as const;
// What another file or another step says is none of a schema's business.
const SHAPE_CODES = ["WORKFLOW_UNKNOWN_KEY", "WORKFLOW_MISSING_KEY", "WORKFLOW_TYPE"];

/** A file that a test loads. */
interface TestText {
  readonly file: string;
  readonly text: string;
  readonly codes: readonly string[];
}

const testTextSchema: z.ZodType<TestText> = z.object({
  file: z.string(),
  text: z.string(),
  codes: z.array(z.string()),
});
const textsOfTests = collectTexts();

const validators: readonly (readonly [name: string, compile: (schema: object) => Promise<Fits>])[] =
  [
    [
      "ajv",
      async (schema) => {
        const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
        return ajv.compile(schema);
      },
    ],
    [
      "hyperjump",
      async (schema) => {
        const uri = `https://schemas.test/${crypto.randomUUID()}`;
        registerSchema(structuredClone({ ...schema }), uri);
        const check = await validate(uri);
        return (data) => check(JSON.parse(JSON.stringify(data))).valid;
      },
    ],
    [
      "cfworker",
      async (schema) => {
        const validator = new Validator({ ...schema }, "2020-12");
        return (data) => validator.validate(data).valid;
      },
    ],
  ];

const cassettes = workflowFiles("examples").filter((file) => isCassette(file));
const workflows = [...workflowFiles("examples"), ...workflowFiles("templates")].filter(
  (file) => !isCassette(file) && !file.includes(".test."),
);

describe.each(validators)("%s", (_, compile) => {
  const fits = new Map<string, Fits>();
  beforeAll(async () => {
    for (const name of SCHEMAS) fits.set(name, await compile(schemaOf(name)));
  });
  const isFitting = (name: string, data: unknown) => fits.get(name)?.(data);

  test.each(workflows)("takes %s [WF-1.editors]", async (file) => {
    expect(await isFitting("workflow", contentOf(textOf(file), file))).toBe(true);
  });

  test.each(cassettes)("takes the cassette %s [WF-1.editors]", async (file) => {
    expect(await isFitting("cassette", contentOf(textOf(file), file))).toBe(true);
  });

  test("refuses every file of the tests that is wrong in its shape [WF-1.editors]", async () => {
    const wrong = textsOfTests.filter(({ codes }) => codes.some(isOfShape));
    expect(wrong.length).toBeGreaterThan(50);
    const taken: string[] = [];
    for (const { text, file } of wrong) {
      const content = contentOf(text, file);
      if (content !== undefined && (await isFitting("workflow", content))) taken.push(text);
    }
    expect(taken).toEqual([]);
  });

  test("refuses what is wrong in the shape of a pattern workflow [WF-1.editors]", async () => {
    const wrong = MISTAKES.filter(([, text]) => isWrongInShape(load(text).problems));
    expect(wrong.length).toBeGreaterThan(3);
    for (const [name, text] of wrong)
      expect([name, await isFitting("workflow", contentOf(text))]).toEqual([name, false]);
  });

  test("refuses what is wrong in the shape of a step workflow [WF-1.editors]", async () => {
    const wrong = STEP_MISTAKES.filter(([, text]) =>
      isWrongInShape(loadSteps(text, { backendOverride: "script" }).problems),
    );
    expect(wrong.length).toBeGreaterThan(10);
    for (const [name, text] of wrong)
      expect([name, await isFitting("workflow", contentOf(text))]).toEqual([name, false]);
  });

  test("refuses a misspelt key of the configuration [WF-1.editors]", async () => {
    expect(await isFitting("config", {})).toBe(true);
    expect(await isFitting("config", { bugdet: {} })).toBe(false);
  });
});

function schemaOf(name: string): object {
  return JSON.parse(textOf(`schemas/${name}.schema.json`));
}

function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** What a file says, with the repeats of templates written out. */
function contentOf(text: string, file = "flow.yaml"): unknown {
  const { root: node } = parseSource(repeatLines(text, 3), file);
  return node === undefined ? undefined : toValue(node);
}

function workflowFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(yaml|json)$/.test(file) && !file.includes("sample"))
    .map((file) => `${folder}/${file}`);
}

function isCassette(file: string): boolean {
  return ["answers.yaml", "cassette.yaml"].includes(basename(file));
}

function isWrongInShape(problems: readonly { readonly code: string }[]): boolean {
  return problems.some(({ code }) => isOfShape(code));
}

function isOfShape(code: string): boolean {
  return SHAPE_CODES.includes(code);
}

/** What the tests of this folder load, each text once, with the codes of its problems. */
function collectTexts(): readonly TestText[] {
  const folder = mkdtempSync(join(tmpdir(), "troupe-texts-"));
  try {
    const collection = join(folder, "texts.jsonl");
    const args = ["run", "--root", root, "test/workflows"];
    const vitest = join(root, "node_modules/.bin/vitest");
    // Whether they pass is said where they are run for it.
    spawnSync(vitest, args, {
      env: { ...process.env, TROUPE_TEST_TEXTS: collection },
      stdio: "ignore",
    });
    const lines = readFileSync(collection, "utf8").trim().split("\n");
    const texts = lines.map((line) => testTextSchema.parse(JSON.parse(line)));
    return [...new Map(texts.map((each) => [each.text, each])).values()].filter(
      // What an override says is of the shape of the template's place.
      ({ text }) => !/^overrides:/m.test(text),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
