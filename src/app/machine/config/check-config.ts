import { isModelProvider } from "../../../agents/backends/parts/model-providers.ts";
import {
  type RefusedArgument,
  refusedIn,
  refusedInCommand,
} from "../../../agents/backends/parts/refused-arguments.ts";
import { describeBackend, knownBackends } from "../../../agents/backends/registry.ts";
import { parsePermissionRule } from "../../../agents/permission-rules.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";
import { type LocatedText, listAt, textAt, textList } from "../../../workflows/checks/file-view.ts";
import { entryOf, type MapNode, type SourceFault } from "../../../workflows/source/source-node.ts";
import { DEFAULT_WAITS } from "./agent-policy.ts";
import type { ConfigSettings } from "./config-settings.ts";
import { configMissingKey, configValue } from "./errors.ts";

/** Problems of one file that its schema cannot see. What is of the wrong type is left to the schema. */
export function checkConfig(root: MapNode): readonly SourceFault[] {
  return [...ruleFaults(root), ...backendFaults(root), ...argumentFaults(root)];
}

/** What the files together define. */
interface Defined {
  /** Names of backends. */
  readonly backends: readonly string[];
  /** Whether there are plug-ins, which may bring more. */
  readonly hasPlugins: boolean;
}

/** Whether the backends of defaults and roles are those of troupe, or of what the files together define. */
export function checkNamedBackends(
  root: MapNode,
  { backends, hasPlugins }: Defined,
): readonly SourceFault[] {
  if (hasPlugins) return [];
  const known = [...new Set([...knownBackends, ...backends])];
  return namedBackends(root).flatMap(({ key, text, node }) => {
    if (known.includes(text)) return [];
    const message = `${key} is "${text}", which is no backend`;
    const hint = [didYouMean(text, known), "that of a plug-in needs plugins: [./FILE]"];
    return [{ error: configValue({ message, hint: hint.join("; ") }), range: node }];
  });
}

function namedBackends(root: MapNode): readonly (LocatedText & { readonly key: string })[] {
  const roles = entryOf(root, "roles")?.node;
  const places = [
    { key: "defaults.backend", holder: entryOf(root, "defaults")?.node },
    ...(roles?.kind === "map"
      ? [...roles.entries.values()].map(({ key, node }) => ({
          key: `roles.${key}.backend`,
          holder: node,
        }))
      : []),
  ];
  return places.flatMap(({ key, holder }) => {
    const found = textAt(holder, "backend");
    return found === undefined ? [] : [{ ...found, key }];
  });
}

/** Whether a call that says nothing would wait for longer than any may, by what the files together say. */
export function checkWaits(root: MapNode, together: ConfigSettings): readonly SourceFault[] {
  const collab = entryOf(root, "collab")?.node;
  const said = textAt(collab, "defaultWaitTimeout") ?? textAt(collab, "maxWaitTimeout");
  const { defaultWaitTimeout: usual, maxWaitTimeout: most = DEFAULT_WAITS.maxWaitTimeout } =
    together.collab ?? {};
  if (said === undefined || usual === undefined) return [];
  if (parseDuration(usual) <= parseDuration(most)) return [];
  const message = `collab.defaultWaitTimeout is ${usual}, which is longer than collab.maxWaitTimeout, ${most}`;
  const hint = `make collab.defaultWaitTimeout at most ${most}, or raise collab.maxWaitTimeout`;
  return [{ error: configValue({ message, hint }), range: said.node }];
}

/** Names of the backends that a file has settings for. */
export function backendNames(root: MapNode): readonly string[] {
  const backends = entryOf(root, "backends")?.node;
  return backends?.kind === "map" ? [...backends.entries.keys()] : [];
}

function ruleFaults(root: MapNode): readonly SourceFault[] {
  const permissions = entryOf(root, "permissions")?.node;
  return ["allow", "deny"].flatMap((list) =>
    listAt(permissions, list).flatMap((item) => {
      if (item.kind !== "scalar" || typeof item.value !== "string") return [];
      if (parsePermissionRule(item.value) !== undefined) return [];
      const message = `permissions.${list} has ${JSON.stringify(item.value)}, which is no rule`;
      const hint = "write a tool, or a tool and a pattern: Read, Bash(npm test*)";
      return [{ error: configValue({ message, hint }), range: item }];
    }),
  );
}

function backendFaults(root: MapNode): readonly SourceFault[] {
  const backends = entryOf(root, "backends")?.node;
  if (backends?.kind !== "map") return [];
  return [...backends.entries.values()].flatMap(({ key, keyRange, node }) => {
    const isKnown = knownBackends.includes(key);
    const hasType = entryOf(node, "type") !== undefined;
    // What is said of a provider is where and how its models are asked.
    if (isModelProvider(key) && !hasType) return [];
    return isKnown === hasType ? [{ error: typeError(key, isKnown), range: keyRange }] : [];
  });
}

/** What would decide in Troupe's place on the command line of a backend's program. */
function argumentFaults(root: MapNode): readonly SourceFault[] {
  const backends = entryOf(root, "backends")?.node;
  if (backends?.kind !== "map") return [];
  return [...backends.entries.values()].flatMap(({ key, node }) => {
    const refused = describeBackend(key)?.refuses;
    if (refused === undefined) return [];
    const args = textList(entryOf(node, "args")?.node);
    const command = textList(entryOf(node, "command")?.node);
    return [
      ...argumentFault(`${key}.args`, args, refusedIn(args.map(toText), refused)),
      ...argumentFault(`${key}.command`, command, refusedInCommand(command.map(toText), refused)),
    ];
  });
}

function argumentFault(
  place: string,
  texts: readonly LocatedText[],
  found: RefusedArgument | undefined,
): readonly SourceFault[] {
  const range = texts[found?.index ?? 0]?.node;
  if (found === undefined || range === undefined) return [];
  const message = `backends.${place} may not have ${found.text}: Troupe decides that`;
  const hint = "remove it; defaults.permissionMode and permissions say what agents may do";
  return [{ error: configValue({ message, hint }), range }];
}

function toText({ text }: LocatedText): string {
  return text;
}

function typeError(name: string, isKnown: boolean): TroupeError {
  if (isKnown) {
    const message = `backends.${name} has a type, but ${name} is a backend of troupe itself`;
    return configValue({ message, hint: "remove type, or choose another name" });
  }
  const message = `backends.${name} is no backend of troupe, and has no type`;
  const guess = didYouMean(name, knownBackends);
  const hint = `add type: acp or type: model; a backend of a plug-in has its settings in its code${guess === undefined ? "" : `; ${guess}`}`;
  return configMissingKey({ message, hint });
}
