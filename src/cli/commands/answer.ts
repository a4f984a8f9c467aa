import { declareCommand } from "../command/command.ts";

/** `troupe answer` */
export const answerCommand = declareCommand({
  name: "answer",
  group: "People",
  authority: "person",
  actsOn: "item",
  summary: "answer a question of an agent",
  arguments: [
    { name: "<id>", about: "id of the question, or its beginning" },
    {
      name: "[text]",
      about: "the answer, or - for standard input; without it VISUAL or EDITOR opens",
    },
  ],
  options: [
    { flags: "--file <path>", about: "a file that holds the answer" },
    { flags: "--resume", about: "then go on with the run here, if nobody runs it" },
  ],
});
