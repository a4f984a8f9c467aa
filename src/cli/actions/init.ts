import { join } from "node:path";
import { areHarmless } from "../../app/catalogue/show-problems.ts";
import { createMachineAt } from "../../app/machine/machine.ts";
import {
  defaultName,
  hasWorkflow,
  type InitRequest,
  type InitResult,
  initProject,
} from "../../app/setup/init/init-project.ts";
import { lookAround, type ProjectFacts, readyAgent } from "../../app/setup/init/surroundings.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import { templateNames } from "../../app/workflow/templates.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { initCommand } from "../commands/init.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import type { Io } from "../terminal/io.ts";

/** `troupe init`: writes a workflow that runs here, checks it, and says how to run it. */
export const initAction: ActionOf<typeof initCommand> = async (invocation) => {
  const { io, settings } = invocation;
  const { options } = invocation;
  if (options.count !== undefined && invocation.args[0] === undefined)
    throw usageInvalid({ problem: "--count belongs to a template: troupe init code-review" });
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const { cwd } = machine.project;
  // What is wrong in the configuration is told when the new workflow is checked.
  const { config } = await machine.readConfig();
  const found = await lookAround(cwd, { env: io.env, settings: config?.settings ?? {} });
  const say = (lines: readonly string[]) => {
    if (!settings.isQuiet) io.stdout.write(lines.map((line) => `${toPrintable(line)}\n`).join(""));
  };
  say(foundLines(found));
  const given: InitRequest = {
    template: invocation.args[0],
    name: options.name,
    count: options.count,
    replaces: options.force,
    tellsEditor: options.vscode,
  };
  const isAsked = settings.mayAsk && !settings.saysYes && !settings.isQuiet;
  const request = isAsked ? await askForRequest(given, found, invocation) : given;
  const result = await initProject(cwd, request, found);
  say(resultLines(result));
  if (!(await isValid(join(cwd, result.workflow), invocation))) return EXIT.usage;
  const next = nextCommand(result, request, found);
  say([`${settings.glyphs.done} ${result.workflow} is valid`, "", `  ${next}`]);
  return EXIT.completed;
};

function foundLines({ isInGit, checks, agents, model, notes }: ProjectFacts): readonly string[] {
  const things = [
    ...(isInGit ? ["git"] : []),
    ...checks.map(({ command }) => command.join(" ")),
    ...agents.map(({ backend }) => backend),
    ...(model === undefined ? [] : [model]),
  ];
  const unsupported = namesOf(agents, "unsupported");
  const signedOut = namesOf(agents, "signed-out");
  return [
    `found: ${things.length === 0 ? "nothing to build on" : things.join(" · ")}`,
    ...notes,
    ...(unsupported === "" ? [] : [`not run by this version yet: ${unsupported}`]),
    ...(signedOut === "" ? [] : [`not signed in: ${signedOut}; ${TROUPE} doctor says how`]),
  ];
}

function namesOf(
  agents: ProjectFacts["agents"],
  wanted: ProjectFacts["agents"][number]["status"],
): string {
  return agents
    .filter(({ status }) => status === wanted)
    .map(({ backend }) => backend)
    .join(", ");
}

function resultLines({ written, kept, notes }: InitResult): readonly string[] {
  return [
    ...written.map((path) => `wrote ${path}`),
    ...kept.map(
      (path) => `kept ${path}, which differs; to bring it up to date: ${TROUPE} schema --write`,
    ),
    ...notes,
  ];
}

function nextCommand(
  { workflow }: InitResult,
  { template }: InitRequest,
  { agents, model }: ProjectFacts,
): string {
  const run = `${TROUPE} run ${workflow}`;
  if (template === undefined) return run;
  return readyAgent(agents) !== undefined || model !== undefined
    ? `${run} "what to do"`
    : `${run} "what to do" --backend script`;
}

async function isValid(file: string, invocation: Invocation): Promise<boolean> {
  const { io, settings } = invocation;
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const loaded = await loadFile(machine, { file });
  await tellProblems(loaded, invocation);
  return areHarmless(loaded.problems);
}

/** Asks for what the command line leaves open. Raises USAGE_INVALID when the input is over. */
async function askForRequest(
  given: InitRequest,
  found: ProjectFacts,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): Promise<InitRequest> {
  const questions = openQuestions(io);
  try {
    const template = given.template ?? (await askTemplate(questions, found));
    const named = { ...given, template };
    const name = given.name ?? (await askName(questions, named, { found, cwd: settings.cwd }));
    const tellsEditor =
      given.tellsEditor || /^y(es)?$/i.test(await questions.ask("Set up VS Code? y/n", "n"));
    return { ...given, template, name, tellsEditor };
  } finally {
    questions.close();
  }
}

async function askTemplate(questions: Questions, found: ProjectFacts): Promise<string | undefined> {
  const own = defaultName(undefined, found);
  const names = [own, ...templateNames];
  for (;;) {
    const answer = await questions.ask(`Start from: ${names.join(", ")}?`, own);
    if (answer === own) return undefined;
    if (templateNames.includes(answer)) return answer;
  }
}

async function askName(
  questions: Questions,
  { template, replaces }: InitRequest,
  { found, cwd }: { readonly found: ProjectFacts; readonly cwd: string },
): Promise<string> {
  for (;;) {
    const name = await questions.ask("Name of the workflow?", defaultName(template, found));
    if (ID_PATTERN.test(name) && (replaces || !(await hasWorkflow(cwd, name)))) return name;
    questions.tell(
      ID_PATTERN.test(name)
        ? `workflows/${name}.yaml exists; choose another name`
        : "use letters, digits, _ and -, and begin with a letter",
    );
  }
}

/** Asks a person at the terminal, line by line. */
interface Questions {
  /** The answer, or `fallback` for an empty line. Raises USAGE_INVALID when the input is over. */
  ask(question: string, fallback: string): Promise<string>;
  /** Says something between two questions. */
  tell(text: string): void;
  /** Ends the reading. */
  close(): void;
}

/** Opens the terminal for questions; whoever opens it closes it. */
function openQuestions({ stdin, stdout }: Io): Questions {
  // What is typed ahead answers the next question.
  const lines: string[] = [];
  let isOver = false;
  let wake = () => {};
  const close = stdin.readLines(
    (line) => {
      lines.push(line);
      wake();
    },
    () => {
      isOver = true;
      wake();
    },
  );
  return {
    ask: async (question, fallback) => {
      stdout.write(`${question} [${fallback}] `);
      while (lines.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const line = lines.shift();
      if (line !== undefined) return line.trim() || fallback;
      stdout.write("\n");
      throw usageInvalid({
        problem: "the input ended before all was answered; nothing was written",
        hint: "troupe init -y takes the defaults",
      });
    },
    tell: (text) => stdout.write(`${text}\n`),
    close,
  };
}
