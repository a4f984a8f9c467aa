import type { SessionRequest } from "../../../contracts/backend.ts";
import { present } from "../../../foundation/present.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import type { AiderPlaces } from "./aider-places.ts";
import { aiderSignIn } from "./aider-sign-in.ts";

// Whatever a configuration says otherwise: these win over files and variables.
const BOUNDS = [
  // No commands: those that the model suggests, linters, tests.
  "--no-suggest-shell-commands",
  "--no-auto-lint",
  "--no-auto-test",
  // Commits are the user's, or those of `troupe merge`.
  "--no-auto-commits",
  "--no-dirty-commits",
  "--no-gitignore",
  // No traffic but that with the model.
  "--no-detect-urls",
  "--no-check-update",
  "--no-show-release-notes",
  "--analytics-disable",
  "--no-show-model-warnings",
  "--no-watch-files",
  "--no-fancy-input",
] as const;

/** They name commands to run, files to read and the address that gets the key; no flag makes it skip them. */
export const OBEDIENT_AIDER = {
  name: "aider",
  obeys: [".aider.conf.yml", ".env", ".aider.model.settings.yml", ".aider.model.metadata.json"],
} as const;

/** What a session and its places make of the command line. */
export interface AiderCommand {
  readonly request: SessionRequest;
  readonly settings: BackendSettings | undefined;
  readonly places: AiderPlaces;
}

/** Program and arguments that all uses of a session have in common. Raises BACKEND_NOT_FOUND. */
export function commonArguments(command: AiderCommand): readonly [string, ...string[]] {
  const { request, settings, places } = command;
  const { spec, env, cwd } = request;
  const program = findAgentProgram({ spec, settings, program: "aider", env, cwd });
  const model = spec.model ?? settings?.model;
  return [
    ...program,
    ...(model === undefined ? [] : ["--model", model]),
    ...BOUNDS,
    ...["--input-history-file", `${places.history}.input`],
    ...["--chat-history-file", places.history],
    "--restore-chat-history",
    ...["--read", places.role],
  ];
}

/** The whole environment of aider: with a key its home is a private directory, else it is the user's. */
export function environmentOf(command: AiderCommand): { readonly [name: string]: string } {
  const { request, settings, places } = command;
  const { env } = request;
  const { apiKeyEnv, baseUrl } = settings ?? {};
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  return {
    NO_COLOR: "1",
    PYTHONUNBUFFERED: "1",
    PYTHONUTF8: "1",
    // Else prices are fetched from GitHub at each start.
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    ...env,
    ...present({ OPENAI_API_KEY: key, OPENAI_API_BASE: baseUrl }),
    ...(aiderSignIn(env, settings).by === "key" ? { HOME: places.home } : {}),
  };
}

/** The arguments of one turn beside the common ones. */
export function turnArguments(places: AiderPlaces, mayEdit: boolean): readonly string[] {
  const plain = ["--no-pretty", "--message-file", places.prompt];
  // Troupe was asked already. To suggested commands this flag says no, if there were any.
  return [...plain, ...(mayEdit ? ["--yes-always"] : ["--chat-mode", "ask"])];
}
