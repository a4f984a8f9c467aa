import type { Candidate } from "../../app/setup/completion/candidate.ts";
import type { Invocation } from "../command/command.ts";
import { SCHEDULE_ACTIONS } from "../commands/parts/schedule-actions.ts";
import type { ValueSource, ValueWish } from "./find-candidates.ts";

const WORKFLOW_ENDINGS = [".yaml", ".yml"];
// Most JSON files are no workflows, so they are offered to who has begun to type one.
const TYPED_ENDINGS = [...WORKFLOW_ENDINGS, ".json", ".jsonc"];
const ANY_ENDING = [""];

/** The values that this project and this machine have. Each kind loads no more than it needs. */
export function createValueSource({
  io,
  settings,
}: Pick<Invocation, "io" | "settings">): ValueSource {
  const where = { cwd: settings.cwd, env: io.env };
  return async (wish) => {
    switch (wish.kind) {
      case "agent":
      case "step": {
        const { partValues } = await import("../../app/setup/completion/run-values.ts");
        return partValues(where, wish.kind, wish.operands[0]);
      }
      case "item":
        return (await import("../../app/setup/completion/run-values.ts")).itemValues(where);
      case "target":
        return (await import("../../app/setup/completion/run-values.ts")).targetValues(where);
      case "code":
        return codes();
      case "schedule":
        return scheduleValues(wish.operands[0], io.env);
      case "scheduled":
        return [...scheduleActions, ...(await projectValues({ ...wish, kind: "workflow" }, where))];
      case "unknown":
        return [];
      default:
        return projectValues(wish, where);
    }
  };
}

async function projectValues(
  { kind, typed }: ValueWish,
  { cwd, env }: { readonly cwd: string; readonly env: Invocation["io"]["env"] },
): Promise<readonly Candidate[]> {
  const { pathValues, runValues, templateValues } = await import(
    "../../app/setup/completion/project-values.ts"
  );
  const endings = typed === "" ? WORKFLOW_ENDINGS : TYPED_ENDINGS;
  const workflows = async () => [
    ...templateValues(),
    ...(await registryValues(cwd, env)),
    ...pathValues(cwd, typed, endings),
  ];
  if (kind === "run") return runValues(cwd, env);
  if (kind === "template") return templateValues();
  if (kind === "workflow") return workflows();
  if (kind === "file-or-run") return [...runValues(cwd, env), ...(await workflows())];
  return pathValues(cwd, typed, kind === "directory" ? [] : ANY_ENDING);
}

/** Ids of the project's own workflows; a configuration with mistakes offers none. */
async function registryValues(
  cwd: string,
  env: Invocation["io"]["env"],
): Promise<readonly Candidate[]> {
  const { openRegistry } = await import("../../app/workflow/registry/workflow-registry.ts");
  try {
    const registry = await openRegistry({ cwd, env });
    return registry.ids().map((value) => ({ value, about: "workflow of this project" }));
  } catch {
    // A completion that fails would only disturb; the command itself says what is wrong.
    return [];
  }
}

const scheduleActions: readonly Candidate[] = SCHEDULE_ACTIONS.map((value) => ({ value }));

/** Names of schedules where one is meant; a list that cannot be read offers none. */
async function scheduleValues(
  action: string | undefined,
  env: Invocation["io"]["env"],
): Promise<readonly Candidate[]> {
  if (!scheduleActions.some(({ value }) => value === action)) return [];
  const { readSchedules } = await import("../../app/schedules/schedule-list.ts");
  const { daemonFiles } = await import("../../app/background/daemon-files.ts");
  try {
    const schedules = readSchedules(daemonFiles(env).schedules);
    return schedules.map(({ name, request }) => ({ value: name, about: request.file }));
  } catch {
    // A completion that fails would only disturb; the command itself says what is wrong.
    return [];
  }
}

async function codes(): Promise<readonly Candidate[]> {
  const [{ errorCatalog }, errors] = await Promise.all([
    import("../../app/catalogue/error-catalog.ts"),
    import("../command/errors.ts"),
  ]);
  return [...errorCatalog(errors).keys()].map((value) => ({ value }));
}
