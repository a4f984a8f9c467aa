import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../../../src/foundation/json.ts";
import { CLIENT_SETTINGS } from "../../clients/client-settings.ts";
import type { ModelServer } from "../../clients/model-server/model-server.ts";
import type { ClientName } from "../../clients/pinned-clients.ts";
import type { Place } from "./place.ts";

const ASKER = "user";

/** An agent's command line, and where it is installed. */
export interface ClientOfPlace {
  readonly name: ClientName;
  readonly program: readonly string[];
}

/** Sends the models and the client of a place's user to a scripted server, whose port is another one each time. */
export function configureModel({ home }: Place, model: ModelServer, client?: ClientOfPlace): void {
  const file = join(home, ".troupe/config.yaml");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const anthropic = { baseUrl: `${model.urlFor(ASKER)}/v1` };
  const backends = client === undefined ? { anthropic } : { [client.name]: backendOf(client) };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ backends }), { mode: 0o600 });

  function backendOf({ name, program }: ClientOfPlace) {
    const { toBaseUrl, model: own } = CLIENT_SETTINGS[name];
    // opencode asks for a package of its own, which nothing turns off.
    const env = { npm_config_registry: model.urlFor("registry") };
    return { command: program, baseUrl: toBaseUrl(model.urlFor(ASKER)), model: own, env };
  }
}

/** What the model was asked, one request after the other. */
export function askedOf(model: ModelServer | undefined): Json[] {
  return (model?.calls(ASKER) ?? []).flatMap(({ request }) =>
    request === undefined
      ? []
      : [request.entries.map(({ kind, text }) => ({ kind, text: text.slice(0, 2000) }))],
  );
}
