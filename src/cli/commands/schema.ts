import { declareCommand } from "../command/command.ts";

/** `troupe schema` */
export const schemaCommand = declareCommand({
  name: "schema",
  group: "Files",
  authority: "reads",
  summary: "print the JSON Schemas of files, or write them for editors",
  arguments: [{ name: "[name]", about: "kind of file: workflow (default), cassette, ..." }],
  options: [{ flags: "--write", about: "write all of them into .troupe/schema" }],
  notes: [
    "An editor uses what .troupe/schema holds when the first line of a workflow is",
    "# yaml-language-server: $schema=../.troupe/schema/workflow.json",
  ],
});
