// Writes the reference of configuration files from their schema.
import { z } from "zod";
import { configSchema } from "../../src/app/machine/config/config-schema.ts";
import { fileKeys } from "../../src/app/setup/schemas/workflow-keys.ts";
import { toCell } from "./source-file.ts";

const INTRO = `# Configuration

This page is generated from the schema of configuration files: \`npm run reference\` writes it.

Two files, both optional: \`~/.config/troupe/config.yaml\` for the user (\`$XDG_CONFIG_HOME\`, or \`config.yaml\` in
\`$TROUPE_HOME\`) and \`.troupe/config.yaml\` for the project. A flag beats the workflow file, which beats the project's file,
which beats the user's, which beats the default. Keys that are not listed here are errors. \`troupe config\` prints what
applies and where each value came from, \`troupe config --paths\` the files and directories that are used.

What runs code or widens what agents may do takes effect from the project's file only after \`troupe trust\`, or with
\`--trust\` for one run: \`permissions\`, \`backends.*.command\`, \`plugins\`. What says "Not in this version" is told as a warning.

| key | type | default | meaning |
|---|---|---|---|
`;

/** The page of configuration files. */
export function configurationPage(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(configSchema, { io: "input" });
  const rows = fileKeys(schema).map(
    ({ path, type, about, default: fallback }) =>
      `| \`${toCell(path)}\` | ${toCell(type)} | ${toCell(fallback ?? "")} | ${toCell(about)} |`,
  );
  return `${INTRO}${rows.join("\n")}\n`;
}
