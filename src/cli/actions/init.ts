import { join } from "node:path";
import { z } from "zod";
import { areHarmless } from "../../app/catalogue/show-problems.ts";
import { createMachineAt } from "../../app/machine/machine.ts";
import {
  type InitRequest,
  type InitResult,
  initProject,
} from "../../app/setup/init/init-project.ts";
import { lookAround, type ProjectFacts, readyAgent } from "../../app/setup/init/surroundings.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Action, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { askForRequest } from "../init/choose-request.ts";
import { tellProblems } from "../prepare/tell-problems.ts";

const initOptions = z.object({
  name: z.string().exactOptional(),
  count: z.string().exactOptional(),
  vscode: z.boolean().default(false),
  force: z.boolean().default(false),
});

/** `troupe init`: writes a workflow that runs here, checks it, and says how to run it. */
export const initAction: Action = async (invocation) => {
  const { io, settings } = invocation;
  const options = initOptions.parse(invocation.options);
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

function foundLines({ isInGit, checks, agents, notes }: ProjectFacts): readonly string[] {
  const things = [
    ...(isInGit ? ["git"] : []),
    ...checks.map(({ command }) => command.join(" ")),
    ...agents.map(({ backend }) => backend),
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
  { agents }: ProjectFacts,
): string {
  const run = `${TROUPE} run ${workflow}`;
  if (template === undefined) return run;
  return readyAgent(agents) !== undefined
    ? `${run} "what to do"`
    : `${run} "what to do" --backend script`;
}

async function isValid(file: string, invocation: Invocation): Promise<boolean> {
  const { io, settings } = invocation;
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const loaded = await loadFile(machine, { file });
  tellProblems(loaded, invocation);
  return areHarmless(loaded.problems);
}
