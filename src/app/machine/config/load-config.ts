import { existsSync } from "node:fs";
import type { ConfigReading } from "./config.ts";
import { type ConfigRequest, configPlaces } from "./config-files.ts";
import { DEFAULT_SETTINGS, defaultValues } from "./default-settings.ts";

/**
 * The configuration of a project; problems of its files are in the result. Without any file it reads
 * nothing and loads neither YAML nor schemas. Raises FILE_UNREADABLE, FILE_NOT_TEXT, CONFIG_OUTSIDE, CONFIG_FOREIGN,
 * CONFIG_TOO_LARGE.
 */
export async function loadConfig(request: ConfigRequest): Promise<ConfigReading> {
  const places = configPlaces(request.project, request.env);
  if (places.some(({ file }) => existsSync(file))) {
    const { readConfig } = await import("./read-config.ts");
    return readConfig(places, request);
  }
  return {
    config: {
      settings: DEFAULT_SETTINGS,
      values: defaultValues(),
      files: places.map((place) => ({ ...place, hash: undefined })),
      unsupported: [],
      trust: "not-needed",
      needingTrust: [],
      ceilings: {},
      perDay: {},
    },
    problems: [],
    sources: new Map(),
  };
}
