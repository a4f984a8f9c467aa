import { findProject } from "../../app/machine/place/project.ts";
import { schemaFiles } from "../../app/setup/schemas/schema-files.ts";
import { writeSchemas } from "../../app/setup/schemas/write-schemas.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { schemaCommand } from "../commands/schema.ts";

/** `troupe schema` */
export const schemaAction: ActionOf<typeof schemaCommand> = async ({
  args,
  options,
  io,
  settings,
}) => {
  const { write: writes } = options;
  const [given] = args;
  if (writes) {
    if (given !== undefined) throw usageInvalid({ problem: "--write writes all schemas, not one" });
    const { root } = findProject(settings.cwd, io.env);
    const paths = await writeSchemas(root);
    if (!settings.isQuiet) io.stdout.write(paths.map((path) => `wrote ${path}\n`).join(""));
    return EXIT.completed;
  }
  const files = schemaFiles();
  const file = files.find(({ name }) => name === (given ?? "workflow"));
  if (file === undefined) {
    const hint =
      didYouMean(
        given ?? "",
        files.map(({ name }) => name),
      ) ?? "";
    throw usageInvalid({ problem: `there is no schema "${given}"`, hint });
  }
  io.stdout.write(file.text);
  return EXIT.completed;
};
