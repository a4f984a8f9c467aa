import { expect, test } from "vitest";
import { z } from "zod";
import { patternFileSchema } from "../../src/workflows/schema/pattern-file-schema.ts";
import { loadOptions, problemsOf } from "./load-options.ts";

test("every key of a pattern file is described", () => {
  const schema = z.toJSONSchema(patternFileSchema(loadOptions), { io: "input" });
  const bare = Object.entries(schema.properties ?? {}).filter(
    ([key, member]) =>
      key !== "fanOut" && (typeof member === "boolean" || member.description === undefined),
  );
  expect(bare.map(([key]) => key)).toEqual([]);
});

test("the script of an agent is checked by the schema that is given for it [WF-1]", () => {
  const scriptSchema = z.array(z.strictObject({ say: z.string() }));
  const text =
    "name: f\npattern: dag\nagents:\n  - id: a\n    backend: script\n    script:\n      - say: hello\n      - sya: hello\n";
  expect(problemsOf(text)).toEqual([]);
  expect(problemsOf(text, { scriptSchema })).toEqual([
    'WORKFLOW_MISSING_KEY 8:9 the key "say" is missing in agents.a.script.1',
    'WORKFLOW_UNKNOWN_KEY 8:9 unknown key "sya" in agents.a.script.1',
  ]);
});
