import { declareCommand } from "../command/command.ts";
import { trustOption } from "./parts/trust-option.ts";

/** `troupe new` */
export const newCommand = declareCommand({
  name: "new",
  group: "Run",
  authority: "person",
  summary: "make an agent that waits for messages in the background",
  arguments: [{ name: "<name>", about: "what it is called" }],
  options: [
    { flags: "--backend <name>", about: "how it is run: claude, codex, gemini, opencode, …" },
    { flags: "--model <name>", about: "the model that it uses" },
    { flags: "--system-prompt <text>", about: "who it is: a text, or a file .md or .txt" },
    { flags: "--context", about: "give it a channel and a document" },
    { flags: "--instance <name>", about: "name of its instance, its own name if not given" },
    { flags: "--tools <names>", about: "the only tools that it may use, with commas between" },
    { flags: "--cassette <path>", about: "turns for a scripted agent" },
    trustOption,
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: ["It lives in the daemon (troupe daemon) until troupe rm ends it."],
});
