import * as modelErrors from "../../agents/backends/model/provider/errors.ts";
import * as backendErrors from "../../agents/backends/parts/errors.ts";
import * as budgetErrors from "../../agents/budget/errors.ts";
import * as collabErrors from "../../agents/collab/errors.ts";
import * as agentErrors from "../../agents/errors.ts";
import * as placeErrors from "../../agents/places/errors.ts";
import * as controlErrors from "../../control/errors.ts";
import * as engineErrors from "../../engine/errors.ts";
import { durationInvalid } from "../../foundation/duration.ts";
import { notJson } from "../../foundation/json.ts";
import { tooManyFiles } from "../../foundation/shortage.ts";
import * as hostErrors from "../../host/system/errors.ts";
import * as journalErrors from "../../journal/errors.ts";
import * as mcpErrors from "../../mcp/errors.ts";
import * as messagingErrors from "../../messaging/errors.ts";
import * as mirrorErrors from "../../messaging/mirrors/errors.ts";
import * as programErrors from "../../programs/errors.ts";
import * as jsonSchemaErrors from "../../programs/json-schema/errors.ts";
import * as languageErrors from "../../programs/language/errors.ts";
import * as stepErrors from "../../programs/steps/parts/errors.ts";
import * as teamErrors from "../../programs/team/errors.ts";
import * as toolErrors from "../../tools/parts/errors.ts";
import * as agentTypeErrors from "../../workflows/agent-types/errors.ts";
import * as chatCommandErrors from "../../workflows/chat-commands/errors.ts";
import * as checkErrors from "../../workflows/checks/errors.ts";
import * as workflowErrors from "../../workflows/errors.ts";
import * as importErrors from "../../workflows/importers/parts/errors.ts";
import * as kickoffErrors from "../../workflows/kickoff/errors.ts";
import * as resolveErrors from "../../workflows/resolve/errors.ts";
import * as schemaErrors from "../../workflows/schema/errors.ts";
import * as sourceErrors from "../../workflows/source/errors.ts";
import * as stepsFileErrors from "../../workflows/steps/errors.ts";
import * as templateErrors from "../../workflows/templates/errors.ts";
import * as forkErrors from "../again/fork/errors.ts";
import * as migrateErrors from "../again/migrate/errors.ts";
import * as authorityErrors from "../authority/errors.ts";
import * as daemonErrors from "../background/errors.ts";
import * as historyErrors from "../history/errors.ts";
import * as configErrors from "../machine/config/errors.ts";
import * as machinePlaceErrors from "../machine/place/errors.ts";
import * as trustErrors from "../machine/trust/errors.ts";
import * as attachErrors from "../run/attach/errors.ts";
import * as answerErrors from "../run/commands/errors.ts";
import * as mergeErrors from "../run/merge/errors.ts";
import * as ownerErrors from "../run/owner/errors.ts";
import * as runErrors from "../runs/errors.ts";
import * as scheduleErrors from "../schedules/errors.ts";
import * as convertErrors from "../setup/convert/errors.ts";
import * as initErrors from "../setup/errors.ts";
import * as trailErrors from "../trail/errors.ts";
import * as trialErrors from "../trial/errors.ts";
import * as pluginErrors from "../workflow/plugins/errors.ts";
import * as registryErrors from "../workflow/registry/errors.ts";
import * as shapeErrors from "../workflow/shapes/errors.ts";

/** What is known of an error code without an error at hand. */
export interface ErrorEntry {
  readonly code: string;
  /** When it happens and how to get out of it. */
  readonly about: string;
  readonly retryable: boolean;
}

const MODULES: readonly object[] = [
  agentTypeErrors,
  chatCommandErrors,
  agentErrors,
  attachErrors,
  answerErrors,
  historyErrors,
  ownerErrors,
  machinePlaceErrors,
  runErrors,
  shapeErrors,
  authorityErrors,
  backendErrors,
  modelErrors,
  budgetErrors,
  checkErrors,
  configErrors,
  controlErrors,
  convertErrors,
  daemonErrors,
  engineErrors,
  forkErrors,
  hostErrors,
  importErrors,
  initErrors,
  trailErrors,
  trialErrors,
  journalErrors,
  kickoffErrors,
  jsonSchemaErrors,
  languageErrors,
  mcpErrors,
  mergeErrors,
  messagingErrors,
  migrateErrors,
  mirrorErrors,
  collabErrors,
  placeErrors,
  pluginErrors,
  programErrors,
  teamErrors,
  registryErrors,
  scheduleErrors,
  resolveErrors,
  schemaErrors,
  sourceErrors,
  stepErrors,
  stepsFileErrors,
  templateErrors,
  toolErrors,
  trustErrors,
  workflowErrors,
  { durationInvalid, notJson, tooManyFiles },
];

/** Every error code of Troupe below the surfaces, and those of the modules given, by code. */
export function errorCatalog(...more: readonly object[]): ReadonlyMap<string, ErrorEntry> {
  const entries = [...MODULES, ...more]
    .flatMap((module): readonly unknown[] => Object.values(module))
    .filter(isEntry)
    .map(({ code, about, retryable }): [string, ErrorEntry] => [code, { code, about, retryable }]);
  return new Map(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function isEntry(value: unknown): value is ErrorEntry {
  return (
    typeof value === "function" &&
    "code" in value &&
    typeof value.code === "string" &&
    "about" in value &&
    typeof value.about === "string" &&
    "retryable" in value
  );
}
