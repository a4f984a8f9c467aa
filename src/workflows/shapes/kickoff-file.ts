import { ID_PATTERN } from "../../foundation/ids.ts";
import { findMentions } from "../../messaging/mentions.ts";
import { ownText } from "../../programs/kickoff/own-text.ts";
import { checkAgents } from "../checks/check-agents.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { checkBudgets, checkDurations } from "../checks/check-durations.ts";
import { checkIds } from "../checks/check-ids.ts";
import { checkParams } from "../checks/check-params.ts";
import { checkShadow } from "../checks/check-shadow.ts";
import { checkTrajectory } from "../checks/check-trajectory.ts";
import { idsOf, listAt, textAt, viewFile } from "../checks/file-view.ts";
import { placeInText } from "../checks/place-in-text.ts";
import { checkContextPlaces } from "../kickoff/check-context-places.ts";
import { checkKickoffVariables } from "../kickoff/check-kickoff-variables.ts";
import {
  nobodyMentioned,
  nothingShared,
  setupVariable,
  unknownMention,
} from "../kickoff/errors.ts";
import { readPrompts } from "../kickoff/read-prompts.ts";
import { resolveKickoff } from "../kickoff/resolve-kickoff.ts";
import { sharedParts } from "../kickoff/shared-parts.ts";
import type { FileReading, FileShape, ReadWorkflow } from "../resolve/file-shape.ts";
import { wrongValue } from "../schema/errors.ts";
import { kickoffFileSchema } from "../schema/kickoff-file-schema.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { entryOf, toValue, withoutKeys } from "../source/source-node.ts";

/** Files that say who takes part and how it begins. */
export const kickoffFile: FileShape = {
  builderCall: ({ settings }) => ({ method: "kickoff", args: [settings] }),
  loadEditors: async () => {
    const { editorSchema, OWN_KEYS } = await import("../schema/steps-json-schema.ts");
    return {
      schema: ({ scriptSchema }) => ({
        ...editorSchema(kickoffFileSchema({ scriptSchema }), "Kickoff workflow"),
        ...OWN_KEYS,
      }),
    };
  },
  read,
};

function read(reading: FileReading): ReadWorkflow | undefined {
  const { options, text, report } = reading;
  const root = withoutKeys(reading.root, (key) => key.startsWith("x-"));
  const context: CheckContext = {
    view: viewFile(root),
    text,
    pattern: undefined,
    order: undefined,
    options,
    report,
  };
  for (const { error, range } of schemaProblems(kickoffFileSchema(options), root))
    report(error, range);
  checkIds(context);
  checkSetup(context);
  checkDurations(context);
  checkParams(context);
  checkAgents(context);
  checkShadow(context);
  checkBudgets(context);
  checkContextPlaces(context);
  checkTrajectory(context);
  const prompts = readPrompts(context);
  checkKickoffVariables(context, prompts);
  checkMentions(context);
  if (!reading.isOk()) return undefined;
  return resolveKickoff(toValue(root), { file: reading.file, prompts, options });
}

// Looking through more would hold the reader up; whom it mentions is found when it is posted.
const MAX_CHARS = 50_000;

/** Checks whom the kickoff wakes: nobody known is an error if it names somebody, else a warning (KCK-2). */
function checkMentions(context: CheckContext): void {
  const { view, report } = context;
  const kickoff = textAt(view.root, "kickoff");
  if (kickoff === undefined) return;
  const known = idsOf(view.agents);
  const { channel } = sharedParts(entryOf(view.root, "context")?.node);
  // It is the prompt of the only agent then, whomever it mentions.
  if (!channel && known.length === 1) return;
  const text = ownText(kickoff.text);
  if (text.length > MAX_CHARS) return;
  const found = findMentions(text, { known, sender: "system" });
  const isSomebodyWoken = found.mentions.length > 0;
  const severity = isSomebodyWoken ? "warning" : "error";
  for (const name of found.unknown) {
    const start = kickoff.text.indexOf(`@${name}`);
    const range =
      start < 0
        ? kickoff.node
        : placeInText(kickoff, { start, end: start + name.length + 1 }, context.text);
    report(unknownMention({ name, known }), range, { severity });
  }
  if (!isSomebodyWoken && found.unknown.length === 0)
    report(nobodyMentioned({ known }), kickoff.node, { severity: "warning" });
}

/** Words that begin or are other variables. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["task", "instance", "workflow", "context", "env", "params"],
]);

/** Checks the names that setup commands give to their output, and whether agents share what they need. */
function checkSetup(context: CheckContext): void {
  checkNames(context);
  checkSharing(context);
  checkShadowChannel(context);
}

function checkNames({ view, report }: CheckContext): void {
  const seen = new Set<string>();
  for (const task of listAt(view.root, "setup")) {
    const name = textAt(task, "as");
    if (name === undefined) continue;
    const problem = problemOf(name.text, seen);
    if (problem !== undefined) report(setupVariable({ name: name.text, problem }), name.node);
    seen.add(name.text);
  }
}

function problemOf(name: string, seen: ReadonlySet<string>): string | undefined {
  if (!ID_PATTERN.test(name)) return "use letters, digits, _ and -, and begin with a letter";
  if (TAKEN.has(name)) return "it has a meaning already";
  return seen.has(name) ? "an earlier command has it" : undefined;
}

function checkSharing({ view, report }: CheckContext): void {
  const agents = view.agents.length;
  const entry = entryOf(view.root, "context");
  const isOff = entry === undefined || (entry.node.kind === "scalar" && entry.node.value === false);
  if (agents < 2 || !isOff) return;
  const place = entry ?? entryOf(view.root, "agents");
  if (place !== undefined)
    report(nothingShared({ agents }), place.keyRange, { severity: "warning" });
}

/** A shadow hears and speaks in the channel. */
function checkShadowChannel({ view, report }: CheckContext): void {
  const shadow = entryOf(entryOf(view.root, "options")?.node, "shadow");
  if (shadow === undefined || sharedParts(entryOf(view.root, "context")?.node).channel) return;
  const problem = "has no channel to follow and to speak in";
  const hint = "add context: (empty) for a channel and a document";
  report(wrongValue({ place: "options.shadow", problem, hint }), shadow.keyRange);
}
