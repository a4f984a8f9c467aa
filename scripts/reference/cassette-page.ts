// Writes the reference of cassettes from their schema.
import { z } from "zod";
import {
  cassetteSchema,
  turnListSchema,
} from "../../src/agents/backends/script/cassette-schema.ts";
import { fileKeys, type WorkflowKey } from "../../src/app/setup/schemas/workflow-keys.ts";
import { toCell } from "./source-file.ts";

const INTRO = `# Cassettes

This page is generated from the schema of cassettes: \`npm run reference\` writes it. How they are written, recorded and played is
in [Testing with cassettes](../guides/testing-with-cassettes.md).

A cassette is a file in YAML or JSON. Keys that are not listed here are errors.

## The file

`;

const TURNS = `
## A turn

Below the name of an agent stands a list of turns, or an object with \`turns\` and \`repeat\`. The \`script\` of an agent in a workflow
file has the same form. A turn ends in one way: \`say\`, \`fail\`, \`crash\` or \`hang\`; one without any says nothing.

`;

const HEAD = "| key | type | meaning |\n|---|---|---|\n";

/** The page of cassettes; an error where a key has no meaning. */
export function cassettePage(): string {
  const file = keysOf(cassetteSchema).filter(({ path }) => path !== "runs.NAME");
  const turns = keysOf(z.object({ turn: turnListSchema }))
    .filter(({ path }) => path.startsWith("turn."))
    .map((key) => ({ ...key, path: key.path.slice("turn.".length) }));
  return `${INTRO}${table(file)}${TURNS}${table(turns)}`;
}

function keysOf(schema: z.ZodType): readonly WorkflowKey[] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return fileKeys(json);
}

function table(keys: readonly WorkflowKey[]): string {
  const rows = keys.map(({ path, type, isRequired, about }) => {
    if (about === "") throw new Error(`the key "${path}" of cassettes has no meaning`);
    const must = isRequired ? " Required." : "";
    return `| \`${toCell(path)}\` | ${toCell(type)} | ${toCell(about)}${must} |\n`;
  });
  return `${HEAD}${rows.join("")}`;
}
