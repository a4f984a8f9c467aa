import type { TroupeError } from "../../foundation/errors.ts";
import {
  agentTypeInvalid,
  agentTypeTwice,
  agentTypeUntrusted,
} from "../../workflows/agent-types/errors.ts";
import {
  type AgentTypeReading,
  type AgentTypeTerms,
  readAgentType,
} from "../../workflows/agent-types/read-agent-type.ts";
import { readOpencodeAgents } from "../../workflows/agent-types/read-opencode-agents.ts";
import { readSharedBounds, withSharedBounds } from "../../workflows/agent-types/shared-bounds.ts";
import type { AgentTypeFinder, FoundAgentType } from "../../workflows/resolve/agent-type.ts";
import type { MapNode } from "../../workflows/source/source-node.ts";
import type { AgentFileTrust, TrustSurroundings } from "../machine/effective/agent-trust.ts";
import type { AgentFile } from "../machine/trust/agent-files.ts";
import { untrustedFiles } from "../machine/trust/trust-store.ts";
import {
  type MarkdownFile,
  type MarkdownPlace,
  markdownFilesIn,
  markdownPlaces,
  opencodeSettings,
  readPlaceFile,
} from "./markdown-files.ts";

/** A file of agent types. */
interface TypeFile extends AgentFileTrust {
  readonly place: MarkdownPlace;
  /** What its type is called; of a file that is no agent type the name of the file. */
  readonly name: string;
  readonly found: FoundAgentType;
}

/** Finds agent types of the project, then of the user, each in .troupe before .claude, then those of opencode and OpenAgents (SUB-2, ECO-8). */
export function createAgentTypeFinder(surroundings: TrustSurroundings): AgentTypeFinder {
  let known: readonly TypeFile[] | undefined;
  const all = () => {
    known ??= allTypes(surroundings);
    return known;
  };
  return {
    find: (name) => {
      const first = all().find((file) => file.name === name);
      const second = all().find(
        (file) => file.name === name && file !== first && file.place === first?.place,
      );
      if (first === undefined) return undefined;
      if (second !== undefined)
        return {
          status: "refused",
          error: agentTypeTwice({ name, file: first.path, other: second.path }),
        };
      return first.isTrusted
        ? first.found
        : { status: "refused", error: agentTypeUntrusted({ name, file: first.path }) };
    },
    names: () => [...new Set(all().map(({ name }) => name))],
  };
}

/** The files of agent types that come with a project. */
export function projectAgentTypes(surroundings: TrustSurroundings): readonly AgentFileTrust[] {
  const types = allTypes(surroundings).filter(({ place }) => place.isOfProject);
  // Several may be in one file.
  const files = new Map(types.map((type) => [type.path, type]));
  return [...files.values()].map(({ path, hash, isTrusted }) => ({ path, hash, isTrusted }));
}

function allTypes(surroundings: TrustSurroundings): readonly TypeFile[] {
  const settings = settingsIn(surroundings);
  const shared = sharedBy(settings);
  const unheard = settings.find((file) => !file.isTrusted && sharedBy([file], true) !== undefined);
  const markdown = markdownPlaces(surroundings, "agents").flatMap((place) => {
    const terms = { shared: place.isOfOpencode ? shared : undefined };
    const files = markdownFilesIn(place, surroundings).map((file) =>
      readTypeFile(file, place, terms),
    );
    const types = withTrust(place, surroundings, files);
    const isUnbound = place.isOfOpencode && place.isOfProject && unheard !== undefined;
    return isUnbound ? types.map((type) => refusedFor(type, unheard.path)) : types;
  });
  return [...markdown, ...settings.flatMap((file) => readSettings(file, shared))];
}

/** Settings of opencode, with whether they may be believed. */
type SettingsFile = MarkdownFile & Pick<TypeFile, "place" | "isTrusted">;

function settingsIn(surroundings: TrustSurroundings): readonly SettingsFile[] {
  return opencodeSettings(surroundings).flatMap(({ place, file }) =>
    withTrust(place, surroundings, [{ ...readPlaceFile(file, place, surroundings), place }]),
  );
}

/** What bounds all agents of opencode: what the project says wins over what the user says. */
function sharedBy(settings: readonly SettingsFile[], isAny = false): MapNode | undefined {
  return settings
    .toReversed()
    .filter(({ isTrusted }) => isTrusted || isAny)
    .reduce<MapNode | undefined>((shared, { content, path }) => {
      const own = "text" in content ? readSharedBounds(content.text, path) : undefined;
      return own === undefined ? shared : withSharedBounds(own, shared);
    }, undefined);
}

/** Bounds that nobody trusts could be loosened ones, and without them the agent could do more than its tool lets it. */
function refusedFor(type: TypeFile, settings: string): TypeFile {
  const error = agentTypeUntrusted({ name: type.name, file: settings });
  return { ...type, found: { status: "refused", error } };
}

function withTrust<Kind extends AgentFile>(
  { isOfProject }: MarkdownPlace,
  { env, project, trustsProject }: TrustSurroundings,
  files: readonly Kind[],
): readonly (Kind & Pick<TypeFile, "isTrusted">)[] {
  const needTrust = isOfProject && !trustsProject;
  const untrusted = new Set<AgentFile>(needTrust ? untrustedFiles(env, project.root, files) : []);
  return files.map((file) => ({ ...file, isTrusted: !untrusted.has(file) }));
}

function readSettings(
  { path, hash, content, place, isTrusted }: SettingsFile,
  shared: MapNode | undefined,
): readonly TypeFile[] {
  const known = { path, hash, place, isTrusted };
  if ("problem" in content)
    return [
      { ...known, name: path, found: { status: "refused", ...invalid(path, content.problem) } },
    ];
  return readOpencodeAgents(content.text, path, shared).map(({ name, reading }) => ({
    ...known,
    name,
    found: toFound(reading),
  }));
}

function toFound(reading: AgentTypeReading): FoundAgentType {
  return reading.status === "read"
    ? { status: "found", type: reading.type }
    : { status: "refused", error: reading.error };
}

function readTypeFile(
  { path, name: base, hash, content }: MarkdownFile,
  place: MarkdownPlace,
  terms: Pick<AgentTypeTerms, "shared">,
): Omit<TypeFile, "isTrusted"> {
  const nameless = place.isNamedByFile ? base : undefined;
  const reading: AgentTypeReading =
    "text" in content
      ? readAgentType(content.text, path, { ...terms, nameless })
      : { status: "invalid", ...invalid(path, content.problem) };
  const name = reading.status === "read" ? reading.type.name : base;
  const found = toFound(reading);
  return { path, hash, place, name, found };
}

function invalid(where: string, problem: string): { readonly error: TroupeError } {
  return { error: agentTypeInvalid({ where, problem }) };
}
