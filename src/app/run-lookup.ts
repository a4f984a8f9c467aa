import type { RunStore } from "../contracts/store.ts";
import { runNotFound } from "../journal/errors.ts";
import { itemAmbiguous, itemNotFound, runAmbiguous } from "./errors.ts";
import { readHead } from "./run-heads.ts";

/**
 * The full id of a run: by id, by the beginning of one, `@last`, `@failed`. Raises RUN_NOT_FOUND,
 * RUN_AMBIGUOUS.
 */
export function resolveRun(store: RunStore, given: string): string {
  const ids = store.list();
  if (ids.includes(given)) return given;
  if (given === "@last") return first(ids, given, ids);
  if (given === "@failed")
    return first(
      ids.filter((id) => readHead(store, id)?.state === "failed"),
      given,
      ids,
    );
  const matches = ids.filter((id) => id.startsWith(given) || id.startsWith(`run_${given}`));
  const [match] = matches;
  if (match === undefined) throw runNotFound({ run: given, known: ids });
  if (matches.length > 1) throw runAmbiguous({ given, matches });
  return match;
}

/** The run and the full id of something that waits for a person. Raises RUN_ITEM_NOT_FOUND, RUN_ITEM_AMBIGUOUS. */
export function findWaitingItem(
  store: RunStore,
  given: string,
): { readonly run: string; readonly id: string; readonly kind: string } {
  const matches = store
    .list()
    .flatMap((run) =>
      (readHead(store, run)?.waitingFor ?? [])
        .filter(
          (item) => item.id === given || item.id.startsWith(given) || item.id.endsWith(`_${given}`),
        )
        .map((item) => ({ run, id: item.id, kind: item.kind })),
    );
  const exact = matches.find((item) => item.id === given);
  if (exact !== undefined) return exact;
  const [match] = matches;
  if (match === undefined) throw itemNotFound({ id: given });
  if (matches.length > 1) throw itemAmbiguous({ given, matches: matches.map((item) => item.id) });
  return match;
}

function first(ids: readonly string[], given: string, known: readonly string[]): string {
  const [id] = ids;
  if (id === undefined) throw runNotFound({ run: given, known });
  return id;
}
