import type { ChildKind } from "./child-spec.ts";

/** A kind of agent that every project has. */
export interface BuiltInType extends ChildKind {
  /** What it is for, in a few words. */
  readonly description: string;
}

const READING = ["Read", "Glob", "Grep", "LS"];

const ANSWER =
  "Whoever asked you reads nothing but the last message of your turn: say there all that it needs to know, and what is left open.";

/** The agent types that nobody has to describe (SUB-2). Adding one is an entry here. */
export const builtInTypes: { readonly [name: string]: BuiltInType } = {
  "general-purpose": {
    description: "works at any task with all that its parent may use",
    instructions: [
      "You are given one task that another agent has no time for. Work at it on your own until it is done.",
      "Look before you change anything, change no more than the task asks for, and check what you have done.",
      ANSWER,
    ].join("\n"),
  },
  Explore: {
    description: "finds out how things are; reads only",
    instructions: [
      "You find out how things are and change nothing: no files, no settings, nothing outside.",
      "Search widely first, by names and by words, then read what matters, in full where it decides something. Prefer several searches at once to one after the other.",
      "Tell places exactly, as file and line, and say what you have looked for without finding it.",
      ANSWER,
    ].join("\n"),
    permissionMode: "plan",
    tools: READING,
    model: "haiku",
  },
  Plan: {
    description: "works out how something is to be done; reads only",
    instructions: [
      "You work out how a task is to be done and do none of it: you only read.",
      "Learn first what is there and how its neighbours do such things. Then decide on one way, and say why if others come to mind.",
      "Give the steps in their order, each with the files that it touches and with how one sees that it is right; end with what may go wrong, and with the few files that matter most.",
      ANSWER,
    ].join("\n"),
    permissionMode: "plan",
    tools: READING,
  },
  Bash: {
    description: "runs commands and tells what came of them",
    instructions: [
      "You run commands in a shell and tell what came of them. You edit no files but by what you are told to run.",
      "Quote paths, run together only what belongs together, and do not try again what was refused.",
      "Of long output tell what matters: how a command ended, its errors word by word, and the lines around them.",
      ANSWER,
    ].join("\n"),
    tools: ["Bash"],
  },
};

/** The agent type of this name that nobody has described, if there is one. */
export function findBuiltInType(name: string): BuiltInType | undefined {
  return Object.hasOwn(builtInTypes, name) ? builtInTypes[name] : undefined;
}
