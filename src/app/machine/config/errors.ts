import { count } from "../../../foundation/count.ts";
import { defineError } from "../../../foundation/errors.ts";
import type { Problem } from "../../../workflows/problems/problem.ts";

interface Said {
  readonly message: string;
  readonly hint?: string;
}

const said = {
  message: (details: Said) => details.message,
  hint: (details: Said) => details.hint,
};

export const configInvalid = defineError("CONFIG_INVALID", {
  message: (details: { problems: readonly Problem[] }) =>
    [
      `the configuration has ${count(details.problems.length, "problem")}`,
      ...details.problems.map(
        ({ file, line, column, message }) => `  ${file}:${line}:${column}  ${message}`,
      ),
    ].join("\n"),
  hint: () => "troupe config shows each of them at its place",
  about:
    "A configuration file has problems, each with a code of its own. Nothing is started with half of a configuration.",
});

export const configForeign = defineError("CONFIG_FOREIGN", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} cannot be believed: ${details.problem}`,
  hint: ({ file }) => `if it is yours: chmod go-w ${file} and its directory`,
  about:
    "A configuration file must belong to you, and nobody else may write to it or to its directory, because it says what programs may do in your name.",
});

export const configSyntax = defineError("CONFIG_SYNTAX", {
  ...said,
  about:
    "A configuration file is YAML 1.2 without tags and merge keys, with at most 1 MiB, 64 levels and 50 aliases; no key stands twice, and none is __proto__, constructor or prototype.",
});

export const configUnknownKey = defineError("CONFIG_UNKNOWN_KEY", {
  ...said,
  about:
    "Keys that troupe does not know are errors, because a misspelt key would change nothing silently. The keys are in schemas/config.schema.json.",
});

export const configType = defineError("CONFIG_TYPE", {
  ...said,
  about:
    "A value of a configuration file has another kind than its key wants: text, number, true or false, list or object.",
});

export const configValue = defineError("CONFIG_VALUE", {
  ...said,
  about:
    "A value of a configuration file has the right kind but is not one of those that its key takes.",
});

export const configMissingKey = defineError("CONFIG_MISSING_KEY", {
  ...said,
  about: "A key without a default is missing, such as a price of a model.",
});

export const configNotSupported = defineError("CONFIG_NOT_SUPPORTED", {
  message: ({ keys, reason }: { keys: readonly string[]; reason?: string }) =>
    reason === undefined
      ? `without effect in this version: ${keys.join(", ")}; troupe config says why`
      : `${keys.join(", ")} has no effect in this version: ${reason}`,
  hint: ({ reason }) =>
    reason === undefined ? undefined : "it may stay; remove it to be rid of this warning",
  about:
    "The format has this key, and the installed version does nothing with it yet. It is told, so that nobody relies on it.",
});

export const configNotTrusted = defineError("CONFIG_NOT_TRUSTED", {
  message: (details: { file: string; problem: string; keys: readonly string[] }) =>
    `${details.file} ${details.problem}, so this is left out: ${details.keys.join(", ")}; to take it: troupe trust, or --trust for one run`,
  about:
    "What a repository brings along must not make programs run, let agents do more or send secrets somewhere by itself. Permission rules, commands, environments and addresses of a project's configuration take effect once `troupe trust` has shown them and you agreed; any change asks again.",
});

export const agentConfigNotTrusted = defineError("CONFIG_AGENTS_NOT_TRUSTED", {
  message: (details: { files: readonly string[] }) =>
    `what this project configures for the programs of agents is not trusted, so this is left out: ${details.files.join(", ")}; to take it: troupe trust, or --trust for one run`,
  about:
    "Files such as .claude/settings.json, .mcp.json or .codex/config.toml can make an agent's program run commands, talk to other servers or ask for less. They take effect once `troupe trust` has shown them and you agreed; a file that changes is left out again. Plain instructions, such as CLAUDE.md and AGENTS.md, are read all the same.",
});

export const agentsUnasked = defineError("CONFIG_BYPASS", {
  message: (details: { agents: readonly string[] }) =>
    `nobody is asked what ${details.agents.join(", ")} may do (permissionMode bypass); deny rules of the configuration hold`,
  about:
    "Agents with the permission mode `bypass` do whatever their programs can do, as you. Only deny rules keep them from anything. It is said at every start, so that nobody forgets it.",
});

export const configOutside = defineError("CONFIG_OUTSIDE", {
  message: (details: { file: string; real: string }) =>
    `${details.file} is a link that leads out of its project, to ${details.real}`,
  hint: () => "make it a file of its own",
  about:
    "The configuration of a project must lie in it: a repository could otherwise have any file of this machine read and shown.",
});

export const configTooLarge = defineError("CONFIG_TOO_LARGE", {
  message: (details: { file: string; limitBytes: number }) =>
    `${details.file} has more than the ${details.limitBytes} bytes that are read`,
  hint: () => "shorten it",
  about: "Configuration files have at most 1 MiB.",
});
