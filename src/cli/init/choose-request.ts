import { defaultName, hasWorkflow, type InitRequest } from "../../app/setup/init/init-project.ts";
import type { ProjectFacts } from "../../app/setup/init/surroundings.ts";
import { templateNames } from "../../app/workflow/templates.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import type { Invocation } from "../command/command.ts";
import { openQuestions, type Questions } from "./questions.ts";

/** Asks for what the command line leaves open. Raises USAGE_INVALID when the input is over. */
export async function askForRequest(
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
