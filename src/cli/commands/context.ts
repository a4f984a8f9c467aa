import { declareCommand } from "../command/command.ts";

/** `troupe context` */
export const contextCommand = declareCommand({
  name: "context",
  group: "Agents",
  authority: "own-run",
  summary: "use the channel and the documents as the agent that runs this",
  arguments: [
    { name: "<what...>", about: "send, read, peek, mentions, or doc read, write, append, list" },
  ],
  options: [
    { flags: "--agent <name>", about: "fail unless the agent is this one" },
    { flags: "--to <agent>", about: "send: to this agent alone; repeatable", isRepeatable: true },
    { flags: "--channel <name>", about: "send, read: this channel instead of the main one" },
    { flags: "--interrupt", about: "send: cut off what the addressees are doing" },
    { flags: "--force", about: "send: whatever others have written since" },
    { flags: "--since <place>", about: "read: after this id, seq or ISO time" },
    { flags: "--limit <number>", about: "read, peek, mentions: this many messages at most" },
    { flags: "--unread", about: "mentions: only those that were not dealt with yet" },
    { flags: "--name <document>", about: "doc: this document instead of the main one" },
    { flags: "--if-revision <number>", about: "doc write: only if this is the revision still" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "It is for programs without MCP that an agent runs: they find their agent in the",
    "environment. A text may be - for standard input.",
    "",
    'troupe context send "@reviewer the schema is ready"',
    "git diff | troupe context doc append -",
  ],
});
