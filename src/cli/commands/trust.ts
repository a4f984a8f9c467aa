import { declareCommand } from "../command/command.ts";

/** `troupe trust` */
export const trustCommand = declareCommand({
  name: "trust",
  group: "System",
  authority: "person",
  onlyReads: ({ options }) => options.show || options.list,
  summary: "let a project's configuration run programs and permit tools",
  arguments: [{ name: "[directory]", about: "the project, that of here if not given" }],
  options: [
    { flags: "--show", about: "only show what trust would let take effect" },
    {
      flags: "--revoke",
      about: "trust the project no more, and forget its pinned tools of MCP servers",
    },
    {
      flags: "--list",
      about: "list the projects that are trusted, and the MCP servers whose tools are pinned",
    },
    { flags: "--json", about: "print one JSON object, with --show or --list" },
  ],
  notes: [
    "Trust is for one content of .troupe/config.yaml, of its plug-ins, of the files",
    "in .troupe/workflows, and of what the programs of agents take from the project",
    "(.claude, .mcp.json, .codex, .gemini, .opencode, .cursor and the like): any",
    "change asks again.",
    "Without a terminal it takes --yes.",
  ],
});
