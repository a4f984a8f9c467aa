import { type ProjectFacts, readyAgent } from "./surroundings.ts";

/** A first workflow: commands side by side, then a summary. It runs on the machine as it is. */
export interface Starter {
  /** The backend or else the model of the agent that sums up; undefined where no such agent is ready. */
  readonly agent: { readonly key: "backend" | "model"; readonly name: string } | undefined;
  readonly name: string;
  readonly description: string;
  readonly commands: readonly StarterCommand[];
  /** Whether the commands are told, by the variable CI, that nobody watches them. */
  readonly isUnattended: boolean;
  /** Whether the summary is told of what git sees as changed. */
  readonly tellsChanges: boolean;
}

interface StarterCommand {
  readonly id: string;
  readonly command: readonly string[];
}

/** The first workflow for a project: its own checks, else a look at where it is; summed up by a ready agent. */
export function chooseStarter(found: ProjectFacts): Starter {
  const { checks, isInGit, hasProgram } = found;
  const agent = thinker(found);
  if (checks.length > 0) {
    const description = "The checks of this project side by side, then a summary";
    return {
      name: "check",
      description,
      commands: checks,
      isUnattended: true,
      tellsChanges: false,
      agent,
    };
  }
  const commands = [
    { id: "files", command: ["ls", "-A"] },
    { id: "space", command: ["df", "-h", "."] },
    { id: "machine", command: ["uname", "-a"] },
  ].filter(({ command: [program = ""] }) => hasProgram(program));
  const description = "A look at this directory and this machine, side by side, then a summary";
  return {
    ...{ name: "survey", description, commands, agent },
    isUnattended: false,
    // By Troupe's own look: git itself would start what the repository names.
    tellsChanges: isInGit,
  };
}

/** The starter as the text of a workflow file. */
export function starterText(name: string, starter: Starter): string {
  const { description, commands, isUnattended, tellsChanges, agent } = starter;
  const ids = commands.map(({ id }) => id);
  const env = isUnattended ? ', env: { CI: "1" }' : "";
  return [
    'version: "1.0"',
    `name: ${name}`,
    `description: ${description}`,
    "pattern: dag",
    "agents:",
    ...(agent === undefined
      ? [
          "  # These agents are commands. An agent that thinks has another backend, such as claude or codex.",
        ]
      : []),
    ...commands.map(
      ({ id, command }) =>
        `  - { id: ${id}, backend: command, command: ${argvText(command)}${env} }`,
    ),
    ...summaryAgent(agent),
    "steps:",
    ...ids.map((id) => `  - { id: ${id}, agent: ${id}, timeout: 10m }`),
    "  - id: report",
    "    agent: summary",
    `    dependsOn: [${ids.join(", ")}]`,
    // It tells what failed, too.
    "    runs: always",
    "    prompt: |",
    ...(agent === undefined
      ? []
      : ["      What do these results say about this project, and what would you do first?", ""]),
    ...(tellsChanges ? ["      ## changes on {{git.branch}}", "      {{git.diff}}"] : []),
    // Of a check that fails what it printed is long: its error is the part that says why.
    ...ids.flatMap((id) => [
      `      ## ${id}`,
      `      {{steps.${id}.output}}`,
      ...(isUnattended ? [`      {{steps.${id}.error}}`] : []),
    ]),
    ...ids.map((id) => `      ${id}: {{steps.${id}.status}}`),
    "options: { timeout: 30m }",
    "",
  ].join("\n");
}

function thinker({ agents, model }: ProjectFacts): Starter["agent"] {
  const ready = readyAgent(agents);
  if (ready !== undefined) return { key: "backend", name: ready.backend };
  return model === undefined ? undefined : { key: "model", name: model };
}

function summaryAgent(agent: Starter["agent"]): readonly string[] {
  if (agent === undefined)
    return ['  - { id: summary, backend: command, command: ["tail", "-n", "60"] }'];
  return [
    "  # This one thinks. It may read, and changes nothing: permissionMode says so.",
    `  - { id: summary, ${agent.key}: ${agent.name}, permissionMode: plan }`,
  ];
}

function argvText(command: readonly string[]): string {
  return `[${command.map((part) => JSON.stringify(part)).join(", ")}]`;
}
