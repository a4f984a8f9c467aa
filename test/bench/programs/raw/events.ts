// Events in commits of 64: events per second.
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";
import { createEventFile } from "./event-file.ts";

const count = countArgument(20_000);
const group = Array.from({ length: 64 }, (_, index) => ({ type: "log", text: `line ${index}` }));

await printWarmFigure(() =>
  withFolder(async (folder) => {
    const file = createEventFile(folder);
    const durationMs = await timed(() => {
      for (let done = 0; done < count; done += group.length) file.append(group);
    });
    file.close();
    return count / (durationMs / 1000);
  }),
);
