import { declareCommand } from "../command/command.ts";

/** `troupe approve` */
export const approveCommand = declareCommand({
  name: "approve",
  group: "People",
  authority: "person",
  actsOn: "item",
  summary: "approve what waits: an approval or a permission",
  arguments: [{ name: "[id]", about: "id of what waits, or its beginning" }],
  options: [
    { flags: "--run <run>", about: "the only thing that waits in this run, instead of an id" },
    { flags: "-m, --message <note>", about: "a note for the journal and the agents" },
    {
      flags: "--always",
      about: "allow the agent the same for the rest of the run: permissions only",
    },
    { flags: "--edit", about: "edit what is to be approved in VISUAL or EDITOR first" },
    { flags: "--hash <hash>", about: "only if it is still what inbox showed under this hash" },
    { flags: "--resume", about: "then go on with the run here, if nobody runs it" },
  ],
});
