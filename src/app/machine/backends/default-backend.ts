import { MODEL } from "../../../agents/backends/model/model-descriptor.ts";
import { CHOSEN_BY_THEMSELVES } from "./agent-programs.ts";
import { type BackendState, type BackendSurroundings, lookUpBackend } from "./backend-state.ts";

/** The backend of agents for which nothing else decides, and how it came to be that one. */
export interface DefaultBackend extends BackendState {
  readonly origin: "configuration" | "found" | "nothing-found";
}

/**
 * The configured default, else the first of claude, codex, gemini and opencode that is ready (WF-12), else Troupe's own loop
 * where the key of a model is there. Where nothing is, the first that is installed or else the first at all: what it lacks
 * is told before a run starts.
 */
export async function chooseDefaultBackend(
  surroundings: BackendSurroundings,
): Promise<DefaultBackend> {
  const configured = surroundings.settings.defaults?.backend;
  if (configured !== undefined)
    return { ...(await lookUpBackend(configured, surroundings)), origin: "configuration" };
  let installed: BackendState | undefined;
  for (const backend of CHOSEN_BY_THEMSELVES) {
    const state = await lookUpBackend(backend, surroundings);
    if (state.status === "ready") return { ...state, origin: "found" };
    if (state.program !== undefined) installed ??= state;
  }
  const model = await usualModel(surroundings);
  if (model !== undefined)
    return { backend: MODEL.name, status: "ready", message: model, origin: "found" };
  const [first = "script"] = CHOSEN_BY_THEMSELVES;
  const state = installed ?? (await lookUpBackend(first, surroundings));
  return { ...state, origin: "nothing-found" };
}

/**
 * The model of agents of backend `model` that name none. Most machines have none, so that what knows of providers is
 * loaded only where some key is there or the configuration speaks of backends.
 */
export async function usualModel(
  surroundings: Pick<BackendSurroundings, "env" | "settings">,
): Promise<string | undefined> {
  const { env, settings } = surroundings;
  const hasKey = Object.keys(env).some((name) => name.endsWith("_API_KEY"));
  if (!hasKey && settings.backends === undefined) return undefined;
  const { defaultModel } = await import("./default-model.ts");
  return defaultModel(surroundings);
}
