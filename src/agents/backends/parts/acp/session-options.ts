import { type ClientContext, methods, type NewSessionResponse } from "@agentclientprotocol/sdk";
import type { SessionRequest } from "../../../../contracts/backend.ts";
import { settingsInvalid } from "../errors.ts";

type Offered = Pick<NewSessionResponse, "modes" | "configOptions">;

/** What is chosen in a session of a program. */
export interface SessionChoice {
  readonly agent: ClientContext;
  readonly sessionId: string;
  /** What the program offers. */
  readonly offered: Offered;
  readonly spec: SessionRequest["spec"];
  /** Absent: the program's own choice stays. */
  readonly model?: string;
}

/** Chooses the model, and the program's own read-only mode for `plan`. Raises BACKEND_SETTINGS_INVALID. */
export async function chooseOptions(choice: SessionChoice): Promise<void> {
  if (choice.model !== undefined) await chooseModel(choice, choice.model);
  if (choice.spec.permissionMode === "plan") await choosePlanMode(choice);
}

async function chooseModel(choice: SessionChoice, model: string): Promise<void> {
  const option = findOption(choice, "model", model);
  if (option === undefined) {
    const problem = `its program does not let the model "${model}" be chosen`;
    throw settingsInvalid({ agent: choice.spec.id, problem });
  }
  await setOption(choice, option, model);
}

/** Without such a mode the policy alone sees to it. */
async function choosePlanMode(choice: SessionChoice): Promise<void> {
  const { agent, sessionId, offered } = choice;
  if (offered.modes?.availableModes.some(({ id }) => id === "plan") === true) {
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    return;
  }
  const option = findOption(choice, "mode", "plan");
  if (option !== undefined) await setOption(choice, option, "plan");
}

/** The id of an option that has a value. */
function findOption(
  { offered }: SessionChoice,
  category: string,
  value: string,
): string | undefined {
  const options = offered.configOptions ?? [];
  return options.find(
    (option) =>
      option.type === "select" &&
      option.category === category &&
      option.options
        .flatMap((entry) => ("options" in entry ? entry.options : [entry]))
        .some((entry) => entry.value === value),
  )?.id;
}

async function setOption(
  { agent, sessionId }: SessionChoice,
  configId: string,
  value: string,
): Promise<void> {
  await agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
}
