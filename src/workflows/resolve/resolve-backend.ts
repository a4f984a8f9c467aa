import type { LoadOptions } from "../load-options.ts";
import { FIXED_BACKENDS } from "../load-options.ts";

/** What an agent says about its backend. */
export interface BackendWish {
  readonly id: string;
  readonly backend: string | undefined;
  readonly model: string | undefined;
}

type BackendOptions = Pick<LoadOptions, "backendOverride" | "overridesAlso" | "defaultBackend">;

/** The backend of an agent, first that applies: override, its own, `model` for `provider/name`, the file's, the default. */
export function resolveBackend(
  wish: BackendWish,
  fileBackend: string | undefined,
  options: BackendOptions,
): string | undefined {
  const { backendOverride, overridesAlso, defaultBackend } = options;
  const fromModel = wish.model?.includes("/") === true ? "model" : undefined;
  const written = wish.backend ?? fromModel ?? fileBackend;
  const isKept =
    written !== undefined && FIXED_BACKENDS.has(written) && overridesAlso?.(wish.id) !== true;
  if (backendOverride !== undefined && !isKept) return backendOverride;
  return written ?? defaultBackend;
}
