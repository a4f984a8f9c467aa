import type { HasProgram, ProjectCheck } from "./project-checks.ts";

/** A first workflow: commands side by side, then a summary. It runs on the machine as it is. */
export interface Starter {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly StarterCommand[];
  /** Whether the commands are told, by the variable CI, that nobody watches them. */
  readonly isUnattended: boolean;
}

interface StarterCommand {
  readonly id: string;
  readonly command: readonly string[];
}

/** The first workflow for a project: its own checks, else a look at where it is. */
export function chooseStarter(
  checks: readonly ProjectCheck[],
  { isInGit, hasProgram }: { readonly isInGit: boolean; readonly hasProgram: HasProgram },
): Starter {
  if (checks.length > 0) {
    const description = "The checks of this project side by side, then a summary";
    return { name: "check", description, commands: checks, isUnattended: true };
  }
  const commands = [
    ...(isInGit ? [{ id: "changes", command: ["git", "status", "--short", "--branch"] }] : []),
    { id: "files", command: ["ls", "-A"] },
    { id: "space", command: ["df", "-h", "."] },
    { id: "machine", command: ["uname", "-a"] },
  ].filter(({ command: [program = ""] }) => hasProgram(program));
  const description = "A look at this directory and this machine, side by side, then a summary";
  return { name: "survey", description, commands, isUnattended: false };
}

/** The starter as the text of a workflow file. */
export function starterText(name: string, starter: Starter): string {
  const { description, commands, isUnattended } = starter;
  const ids = commands.map(({ id }) => id);
  const env = isUnattended ? ', env: { CI: "1" }' : "";
  return [
    'version: "1.0"',
    `name: ${name}`,
    `description: ${description}`,
    "pattern: dag",
    "agents:",
    "  # These agents are commands. An agent that thinks has another backend, such as claude or codex.",
    ...commands.map(
      ({ id, command }) =>
        `  - { id: ${id}, backend: command, command: ${argvText(command)}${env} }`,
    ),
    '  - { id: summary, backend: command, command: ["tail", "-n", "60"] }',
    "steps:",
    ...ids.map((id) => `  - { id: ${id}, agent: ${id}, timeout: 10m }`),
    "  - id: report",
    "    agent: summary",
    `    dependsOn: [${ids.join(", ")}]`,
    "    prompt: |",
    ...ids.flatMap((id) => [`      ## ${id}`, `      {{steps.${id}.output}}`]),
    ...ids.map((id) => `      ${id}: {{steps.${id}.status}}`),
    "options: { timeout: 30m }",
    "",
  ].join("\n");
}

function argvText(command: readonly string[]): string {
  return `[${command.map((part) => JSON.stringify(part)).join(", ")}]`;
}
