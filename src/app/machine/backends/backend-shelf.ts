import {
  type BackendDependencies,
  builtInBackends,
  createBackend,
} from "../../../agents/backends/registry.ts";
import type { Cassette } from "../../../agents/backends/script/cassette-schema.ts";
import type { AgentBackend, BackendShelf } from "../../../contracts/backend.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import { configuredBackend } from "./configured-backend.ts";

/** What backends are made of, but for what the configuration says of them. */
interface ShelfParts extends Omit<BackendDependencies, "settings" | "cassette"> {
  /** As it was read, and the file that it came from. */
  readonly cassette: { readonly file: string; readonly source: string } | undefined;
}

/** Backends as the configuration has them, with all that it and the code beside it know. */
export interface ConfiguredBackends extends BackendShelf {
  /** Loads every one of them that can be made. */
  loadAll(): Promise<void>;
}

/** Backends by the configuration. Raises CASSETTE_INVALID. */
export async function openBackends(
  { cassette, ...parts }: ShelfParts,
  settings: ConfigSettings,
): Promise<ConfiguredBackends> {
  const turns = cassette === undefined ? undefined : await parse(cassette);
  const dependencies = { ...parts, cassette: turns, settings: settings.backends };
  const loading = new Map<string, Promise<AgentBackend>>();
  const loaded = new Map<string, AgentBackend>();
  const make = async (name: string) => {
    const backend = configuredBackend(await createBackend(name, dependencies), settings);
    loaded.set(name, backend);
    return backend;
  };
  const load = (name: string) => {
    const known = loading.get(name) ?? make(name);
    loading.set(name, known);
    return known;
  };
  return {
    find: (name) => loaded.get(name),
    load,
    loadAll: async () => {
      await Promise.allSettled(namesOf(parts, settings).map(load));
    },
  };
}

async function parse({ file, source }: NonNullable<ShelfParts["cassette"]>): Promise<Cassette> {
  const { parseCassette } = await import("../../../agents/backends/script/load-cassette.ts");
  return parseCassette(source, file);
}

function namesOf(
  { own = [] }: Pick<ShelfParts, "own">,
  { backends = {} }: ConfigSettings,
): readonly string[] {
  const kinds = new Set([...builtInBackends, ...own].map(({ name }) => name));
  const configured = Object.keys(backends).filter((name) => kinds.has(backends[name]?.type ?? ""));
  return [...new Set([...kinds, ...configured])];
}
