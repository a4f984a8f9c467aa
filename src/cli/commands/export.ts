import { declareCommand } from "../command/command.ts";

/** `troupe export` */
export const exportCommand = declareCommand({
  name: "export",
  group: "Share",
  authority: "reads",
  summary: "write a run into one file that import takes back",
  arguments: [
    { name: "[run]", about: "id of a run, its beginning, @last or @failed; @last if not given" },
  ],
  options: [
    {
      flags: "-o, --output <path>",
      about: "the file, or - for standard output; else RUN.jsonl.gz",
    },
    { flags: "--salvage", about: "of a damaged run, write what is intact of it" },
  ],
  notes: [
    "The file holds all events of the run with their hashes, and all texts that they",
    "refer to: everything that the agents were told, said and did. It is compressed",
    "if its name ends in .gz. Standard output gets it uncompressed.",
  ],
});
