import { wishedModel } from "../../agents/model-word.ts";
import type { TurnTerms } from "../../contracts/turn-terms.ts";
import { present } from "../../foundation/present.ts";
import {
  type FoundChatCommand,
  fillChatCommand,
  takesWords,
} from "../../workflows/chat-commands/chat-command.ts";
import {
  chatCommandArguments,
  chatCommandInvalid,
  chatCommandUntrusted,
} from "../../workflows/chat-commands/errors.ts";
import { readChatCommand } from "../../workflows/chat-commands/read-chat-command.ts";
import type { AgentFileTrust, TrustSurroundings } from "../machine/effective/agent-trust.ts";
import { untrustedFiles } from "../machine/trust/trust-store.ts";
import {
  type MarkdownFile,
  type MarkdownPlace,
  markdownFilesIn,
  markdownPlaces,
} from "./markdown-files.ts";

const NAME = /^[a-z0-9][\w-]{0,63}$/i;

/** Commands of a chat that files describe: of the project, then of the user, each name once. */
function findChatCommands(surroundings: TrustSurroundings): readonly FoundChatCommand[] {
  const all = markdownPlaces(surroundings, "commands").flatMap((place) =>
    commandsIn(place, surroundings),
  );
  const byName = new Map<string, FoundChatCommand>();
  for (const found of all) if (!byName.has(found.name)) byName.set(found.name, found);
  return [...byName.values()];
}

/** A command as people are told of it. */
export interface ListedChatCommand {
  readonly name: string;
  readonly takes: string;
  readonly about: string;
}

/** The commands for a list of them, with why one cannot be used. */
export function listChatCommands(surroundings: TrustSurroundings): readonly ListedChatCommand[] {
  return findChatCommands(surroundings).map((found) => {
    if (found.status === "refused")
      return { name: found.name, takes: "", about: `not usable: ${found.error.message}` };
    const { name, argumentHint: takes = "", description: about = "", file } = found.command;
    return { name, takes, about: `${about}${about === "" ? "" : " "}(${file})` };
  });
}

/** A command that a person has given, with the words of what stands behind it; undefined: a quote has no end. */
export interface GivenChatCommand {
  readonly name: string;
  readonly rest: string;
  readonly words: readonly string[] | undefined;
  /** The backend of the agent that it is for. */
  readonly backend: string;
}

/** What is said to the agent, and how its turn works. */
export interface ChatSaying {
  readonly text: string;
  readonly terms: TurnTerms;
}

/**
 * What a command of a file comes to; undefined where there is none. Raises CHAT_COMMAND_INVALID, CHAT_COMMAND_UNTRUSTED,
 * CHAT_COMMAND_ARGUMENTS.
 */
export function sayingOf(
  surroundings: TrustSurroundings,
  { name, rest, words, backend }: GivenChatCommand,
): ChatSaying | undefined {
  const found = findChatCommands(surroundings).find((each) => each.name === name);
  if (found === undefined) return undefined;
  if (found.status === "refused") throw found.error;
  const { command } = found;
  if (words === undefined && takesWords(command)) throw chatCommandArguments({ name });
  const terms = present({ model: wishedModel(command.model, backend), tools: command.tools });
  return { text: fillChatCommand(command, rest, words ?? []), terms };
}

/** The files of commands that come with a project. */
export function projectChatCommands(surroundings: TrustSurroundings): readonly AgentFileTrust[] {
  return markdownPlaces(surroundings, "commands")
    .filter(({ isOfProject }) => isOfProject)
    .flatMap((place) => {
      const files = markdownFilesIn(place, surroundings);
      const untrusted = untrustedIn(place, files, surroundings);
      return files.map((file) => {
        return { path: file.path, hash: file.hash, isTrusted: !untrusted.has(file.path) };
      });
    });
}

function commandsIn(
  place: MarkdownPlace,
  surroundings: TrustSurroundings,
): readonly FoundChatCommand[] {
  const files = markdownFilesIn(place, surroundings).filter(({ name }) => NAME.test(name));
  const untrusted = untrustedIn(place, files, surroundings);
  return files.map((file) => {
    const { name, path } = file;
    // Before a project is trusted nobody reads more of it than there is to trust.
    if (untrusted.has(path))
      return { status: "refused", name, error: chatCommandUntrusted({ name, file: path }) };
    const reading = readFile(file);
    return "command" in reading
      ? { status: "found", name, ...reading }
      : { status: "refused", name, ...reading };
  });
}

function readFile({ name, path, content }: MarkdownFile): ReturnType<typeof readChatCommand> {
  return "text" in content
    ? readChatCommand(content.text, { name, file: path })
    : { error: chatCommandInvalid({ where: path, problem: content.problem }) };
}

/** Paths of files that are not trusted; those of the user need no trust. */
function untrustedIn(
  { isOfProject }: MarkdownPlace,
  files: readonly MarkdownFile[],
  { env, project, trustsProject }: TrustSurroundings,
): ReadonlySet<string> {
  const untrusted = isOfProject && !trustsProject ? untrustedFiles(env, project.root, files) : [];
  return new Set(untrusted.map(({ path }) => path));
}
