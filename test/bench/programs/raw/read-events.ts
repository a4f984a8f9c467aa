// Reading and parsing the two events of each step: ms for all.
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";
import { createEventFile } from "./event-file.ts";

const steps = Array.from({ length: countArgument(10_000) }, (_, step) => step);

await withFolder(async (folder) => {
  const file = createEventFile(folder);
  file.append(
    steps.flatMap((step) => [
      { type: "scheduled", step },
      { type: "settled", step },
    ]),
  );
  await printWarmFigure(() => timed(() => file.readAll()));
  file.close();
});
