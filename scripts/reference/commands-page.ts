// Writes the reference of commands from what help knows of them.
import type { ArgumentSpec, CliCommand } from "../../src/cli/command/command.ts";
import { globalOptions } from "../../src/cli/command/global-options.ts";
import type { OptionSpec } from "../../src/cli/command/option.ts";
import { loadCommands } from "../../src/cli/registry.ts";
import { toCell } from "./source-file.ts";

const INTRO = `# Commands

This page is generated from the commands themselves: \`npm run reference\` writes it. \`troupe help COMMAND\` says the same.
`;

const EXIT_CODES = `## Exit codes

| code | meaning |
|---|---|
| 0 | completed |
| 1 | failed, rejected or cancelled |
| 2 | wrong usage or invalid file: nothing was started |
| 3 | waits for a person; the run can be resumed |
| 4 | a backend is missing or not signed in |
| 5 | a limit was reached, or the time was up |
| 6 | the run is owned by another process, or that process cannot be reached |
| 70 | internal error: a fault in Troupe itself |
| 130, 143 | interrupted by SIGINT or SIGTERM; the state is saved |
`;

/** The page of all commands. */
export async function commandsPage(): Promise<string> {
  const groups = Map.groupBy(await loadCommands(), ({ group }) => group);
  const sections = [...groups].flatMap(([group, members]) => [
    `## ${group}\n`,
    ...members.map(commandSection),
  ]);
  const shared = ["## Options of every command\n", optionTable(globalOptions), ""];
  return `${[INTRO, ...sections, ...shared, EXIT_CODES].join("\n")}`;
}

function commandSection({
  name,
  summary,
  arguments: args = [],
  options = [],
  notes = [],
}: CliCommand): string {
  const usage = ["troupe", name, ...args.map((argument) => argument.name)].join(" ");
  const shown = options.filter(({ isHidden }) => isHidden !== true);
  return [
    `### troupe ${name}`,
    "",
    `\`${usage}${shown.length === 0 ? "" : " [options]"}\``,
    "",
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    "",
    ...(args.length === 0 ? [] : [argumentTable(args), ""]),
    ...(shown.length === 0 ? [] : [optionTable(shown), ""]),
    ...(notes.length === 0 ? [] : [notes.join(" "), ""]),
  ].join("\n");
}

function argumentTable(args: readonly ArgumentSpec[]): string {
  const rows = args.map(({ name, about }) => `| \`${toCell(name)}\` | ${toCell(about)} |`);
  return ["| argument | meaning |", "|---|---|", ...rows].join("\n");
}

function optionTable(options: readonly OptionSpec[]): string {
  const rows = options.map(({ flags, about, choices }) => {
    const among =
      choices === undefined
        ? ""
        : ` One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`;
    return `| \`${toCell(flags)}\` | ${toCell(about)}.${among} |`;
  });
  return ["| option | meaning |", "|---|---|", ...rows].join("\n");
}
