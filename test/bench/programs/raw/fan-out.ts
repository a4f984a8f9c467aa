// Side-by-side steps with one commit before and one after them: ms for all.
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";
import { createEventFile } from "./event-file.ts";

const steps = Array.from({ length: countArgument(1000) }, (_, step) => step);

await printWarmFigure(() =>
  withFolder(async (folder) => {
    const file = createEventFile(folder);
    const durationMs = await timed(async () => {
      file.append(steps.map((step) => ({ type: "scheduled", step, input: { step } })));
      const outputs = await Promise.all(steps.map((step) => Promise.resolve(step)));
      file.append(outputs.map((output, step) => ({ type: "settled", step, output })));
    });
    file.close();
    return durationMs;
  }),
);
