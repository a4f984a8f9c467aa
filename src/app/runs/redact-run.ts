import { homedir } from "node:os";
import { dirname } from "node:path";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { createSecretMasker } from "../../foundation/secret-masker.ts";
import { secretValues } from "../../host/environment.ts";
import { type Redacted, redactEvents } from "../../observers/report/redact.ts";
import { configOf, knownSecrets } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";

/**
 * The events of a run without what nobody else may see: known secrets always, and for sharing what else tells of this
 * machine. Raises CONFIG_INVALID.
 */
export async function redactRun(
  machine: Machine,
  events: readonly JournalEvent[],
  { isForSharing }: { readonly isForSharing: boolean },
): Promise<Redacted> {
  const { settings } = await configOf(machine);
  const secrets = [...knownSecrets(settings, machine.env), ...secretsOfAgents(events)];
  return redactEvents(events, {
    masker: createSecretMasker(secrets),
    isForSharing,
    places: placesOf(machine),
  });
}

/** What workflow files put into the environment of agents is kept in the journal as it was written. */
function secretsOfAgents(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "agent-spawned" ? secretValues(event.spec.env ?? {}, []) : [],
  );
}

function placesOf({ project, env }: Machine): readonly (readonly [string, string])[] {
  const home = env["HOME"] ?? homedir();
  const places: readonly (readonly [string, string])[] = [
    [project.root, "<project>"],
    [home, "~"],
  ];
  return places
    .filter(([place]) => dirname(place) !== place)
    .toSorted(([left], [right]) => right.length - left.length);
}
