import { declareCommand } from "../command/command.ts";
import { acceptConfigOption } from "./parts/go-on-options.ts";
import { limitOptions } from "./parts/limit-options.ts";
import { trustOption } from "./parts/trust-option.ts";

/** `troupe chat` */
export const chatCommand = declareCommand({
  name: "chat",
  group: "Run",
  authority: "person",
  summary: "speak with an agent or a team, in the terminal",
  arguments: [
    { name: "[agent]", about: "a backend, or the file of a team; with --resume the run" },
    { name: "[argv...]", about: "after --: the program of the backend command" },
  ],
  options: [
    {
      flags: "--resume",
      about: "go on with a chat, the last one of this directory if none is named",
    },
    { flags: "--model <name>", about: "the model of the agent" },
    { flags: "--system-prompt <text>", about: "who it is: a text, or a file .md or .txt" },
    { flags: "--cassette <path>", about: "turns for scripted agents" },
    ...limitOptions,
    trustOption,
    acceptConfigOption,
  ],
  notes: [
    "troupe chat claude",
    "troupe chat review-team.yaml",
    "",
    "A chat is a run: journaled, and it goes on after whatever ended it. /help lists",
    "what can be written beside texts. Ctrl-D leaves it, /end ends it.",
  ],
});
