import type { LoadOptions } from "./load-options.ts";

/** What an agent says about its backend. */
export interface BackendWish {
  readonly id: string;
  readonly backend: string | undefined;
  readonly model: string | undefined;
}

/** What decided on the backend of an agent; `option` is `--backend`. */
export type BackendOrigin = "option" | "agent" | "model" | "workflow" | "default";

/** The backend of an agent, and why it is that one. */
export interface ChosenBackend {
  readonly backend: string;
  readonly origin: BackendOrigin;
}

type BackendOptions = Pick<
  LoadOptions,
  "backendOverride" | "overridesAlso" | "defaultBackend" | "codeAgents" | "traitsOf"
>;

/**
 * The backend of an agent, first that applies: code, override, its own, `model` for `provider/name`, the file's,
 * the default (WF-12). Undefined when there is no default either.
 */
export function chooseBackend(
  wish: BackendWish,
  fileBackend: string | undefined,
  options: BackendOptions,
): ChosenBackend | undefined {
  const { backendOverride, overridesAlso, defaultBackend, codeAgents, traitsOf } = options;
  if (codeAgents?.ids.has(wish.id) === true) return { backend: "function", origin: "option" };
  const written = writtenBackend(wish, fileBackend);
  const isKept =
    written !== undefined &&
    traitsOf(written.backend)?.isFixed === true &&
    overridesAlso?.(wish.id) !== true;
  if (backendOverride !== undefined && !isKept)
    return { backend: backendOverride, origin: "option" };
  if (written !== undefined || defaultBackend === undefined) return written;
  return { backend: defaultBackend, origin: "default" };
}

/** A model as a program that asks for those of some providers calls it: without theirs (WF-12). */
export function modelFor(model: string, providers: readonly string[]): string {
  const [provider = "", ...name] = model.split("/");
  const isKnown = providers.includes(provider) && name.length > 0;
  return isKnown ? name.join("/") : model;
}

function writtenBackend(
  { backend, model }: BackendWish,
  fileBackend: string | undefined,
): ChosenBackend | undefined {
  if (backend !== undefined) return { backend, origin: "agent" };
  if (model?.includes("/") === true) return { backend: "model", origin: "model" };
  return fileBackend === undefined ? undefined : { backend: fileBackend, origin: "workflow" };
}
