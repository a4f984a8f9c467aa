import { declareCommand } from "../command/command.ts";

/** `troupe reject` */
export const rejectCommand = declareCommand({
  name: "reject",
  group: "People",
  authority: "person",
  actsOn: "item",
  summary: "reject what waits: an approval or a permission",
  arguments: [{ name: "[id]", about: "id of what waits, or its beginning" }],
  options: [
    { flags: "--run <run>", about: "the only thing that waits in this run, instead of an id" },
    { flags: "-m, --message <reason>", about: "why; the agents are told. Asked for on a terminal" },
    { flags: "--hash <hash>", about: "only if it is still what inbox showed under this hash" },
    { flags: "--resume", about: "then go on with the run here, if nobody runs it" },
  ],
});
