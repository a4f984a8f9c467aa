import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { ScheduleWish } from "../../control/schedule-wish.ts";
import { sha256 } from "../../foundation/hash.ts";
import { present } from "../../foundation/present.ts";
import { isOk } from "../../workflows/problems/problem.ts";
import type { ConfigReading } from "../machine/config/config.ts";
import { agentFilesOf } from "../machine/effective/agent-trust.ts";
import { configOf } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import { isListedAsTrusted } from "../machine/trust/trust-store.ts";
import { checkInput } from "../workflow/check-input.ts";
import { foundFilesOf } from "../workflow/found-files.ts";
import { type LoadedFile, loadFile } from "../workflow/load-file.ts";
import { scheduleFileInvalid } from "./errors.ts";
import type { Accepted } from "./schedule.ts";

/** The workflow of a schedule as it is now. */
export interface ScheduledWorkflow {
  readonly definition: WorkflowDefinition;
  readonly cassette: LoadedFile["cassette"];
  /** What a person accepts who lets it go on as it is now. */
  readonly accepted: Accepted;
}

/** What a schedule runs, and with what. */
export type ScheduledWork = Pick<ScheduleWish, "request" | "start">;

/**
 * Loads the workflow of a schedule, and checks what is given to it. Raises SCHEDULE_FILE_INVALID and what loadFile,
 * configOf and checkInput raise.
 */
export async function loadScheduled(
  machine: Machine,
  { request, start }: ScheduledWork,
): Promise<ScheduledWorkflow> {
  const loaded = await loadFile(machine, request);
  const { definition, problems, source, cassette } = loaded;
  const [wrong] = problems.filter(({ severity }) => severity === "error");
  if (definition === undefined || !isOk(problems))
    throw fileInvalid(request.file, wrong?.message ?? "there is nothing in it to run");
  const { params = {}, task, input } = start;
  const checked = await checkInput(definition, { params, ...present({ task, input }) });
  const [error] = checked.errors;
  if (error !== undefined) throw fileInvalid(request.file, error.message);
  return { definition, cassette, accepted: await acceptedAs(machine, source) };
}

function fileInvalid(file: string, problem: string): Error {
  return scheduleFileInvalid({ file, problem });
}

/**
 * Why a schedule may not start what is there now, in words for people; undefined when it is what a person has let go
 * on. What was not trusted then takes no effect, now as before.
 */
export function doubtOf(before: Accepted, now: Accepted): string | undefined {
  if (now.fileHash !== before.fileHash) return "its file has changed since it was let go on";
  if (before.wasTrusted && !now.wasTrusted) return "its project is trusted no more";
  const known = new Set(before.leftOut);
  const fresh = now.leftOut.find((name) => !known.has(name));
  return fresh === undefined ? undefined : `${fresh} is not trusted as it is now`;
}

async function acceptedAs(machine: Machine, source: string): Promise<Accepted> {
  const { env, project } = machine;
  const config = await configOf(machine);
  const files = [...agentFilesOf(machine), ...foundFilesOf(machine, config)];
  return {
    fileHash: sha256(source),
    leftOut: [
      ...untrustedConfig(config),
      ...files.filter(({ isTrusted }) => !isTrusted).map(({ path }) => path),
    ],
    wasTrusted: isListedAsTrusted(env, project.root),
  };
}

function untrustedConfig({ trust }: NonNullable<ConfigReading["config"]>): readonly string[] {
  return trust === "changed" || trust === "untrusted" ? [".troupe/config.yaml"] : [];
}
