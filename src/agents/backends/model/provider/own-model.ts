import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { AgentSpec } from "../../../../contracts/agent.ts";
import type { OwnModel } from "../../../../contracts/own-model.ts";
import { settingsInvalid } from "../../parts/errors.ts";

/** The model that somebody gives for an agent. Raises BACKEND_SETTINGS_INVALID for what is none. */
export function ownModelOf(
  model: NonNullable<OwnModel["model"]>,
  { id, model: name }: Pick<AgentSpec, "id" | "model">,
): LanguageModelV4 {
  const given: unknown = typeof model === "function" ? model(name) : model;
  if (isModel(given)) return given;
  const version = versionOf(given);
  const problem =
    version === undefined
      ? "what was given as its model is no model of AI SDK"
      : `its model speaks ${version} of AI SDK's interface; troupe speaks v4, that of AI SDK 7`;
  throw settingsInvalid({ agent: id, problem });
}

function isModel(given: unknown): given is LanguageModelV4 {
  if (versionOf(given) !== "v4" || typeof given !== "object" || given === null) return false;
  return "doStream" in given && typeof given.doStream === "function";
}

function versionOf(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  return "specificationVersion" in given ? String(given.specificationVersion) : undefined;
}
