import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import { durationEntry, entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, settleRest } from "../parts/notes.ts";
import { convertText, escapedText, type RelayScope } from "./convert-texts.ts";
import type { ConvertedStep } from "./relay-parts.ts";

interface CheckSpot {
  readonly entry: SourceEntry;
  readonly place: string;
  readonly at: readonly string[];
}

const PULL_REQUEST = "https://github\\.com/[^/\\s]+/[^/\\s]+/pull/\\d+";

/** The checks that `verification` of a step is: one, or a list of them. */
export function convertVerification(notes: Notes, spot: CheckSpot): readonly SourceNode[] {
  const { node } = spot.entry;
  const items = node.kind === "list" ? node.items : [node];
  return items.flatMap((item) => convertCheck(notes, item, spot) ?? []);
}

function convertCheck(notes: Notes, node: SourceNode, spot: CheckSpot): SourceNode | undefined {
  const { entry, place, at } = spot;
  settleRest(
    notes,
    { entries: membersOf(node), place: `${place}.verification`, at },
    {
      taken: ["type", "value", "description", "timeoutMs"],
      leftOut: {
        diagnosticAgent: { what: "the next attempt is told itself what the check found" },
        diagnosticTimeout: { what: "there is no agent for it" },
      },
    },
  );
  const kind = textOf(entryOf(node, "type")?.node);
  const value = entryOf(node, "value");
  const refuse = (what: string, range = node) =>
    notes.refused({ place: `${place}.verification`, range, at, entry }, { what });
  if (kind === "exit_code") {
    tellExitCode(notes, value, { place, at });
    return undefined;
  }
  if (kind === "pr_url")
    return checkAt(node, "outputMatches", repositoryPattern(textOf(value?.node)));
  if (value === undefined) {
    refuse("it says no value to check");
    return undefined;
  }
  const text = textOf(value.node) ?? "";
  switch (kind) {
    case "output_contains":
      return checkAt(value.node, "outputMatches", escapeRegex(text));
    case "file_exists":
      return mapAt([entryAt("fileExists", escapedText(value.node), value.keyRange)], node);
    case "custom":
      return customCheck(node, value);
    default:
      refuse(`there is no check ${kind ?? "without a type"}`, entryOf(node, "type")?.node ?? node);
      return undefined;
  }
}

/** A process that succeeded has exit code 0; relay looks no further either. */
function tellExitCode(
  notes: Notes,
  value: SourceEntry | undefined,
  { place, at }: Pick<CheckSpot, "place" | "at">,
): void {
  if (value === undefined || ["", "0"].includes(textOf(value.node) ?? "")) return;
  const spot = { place: `${place}.verification.value`, range: value.node, at };
  notes.leftOut(spot, { what: "a step is done when its program ends with exit code 0" });
}

function customCheck(node: SourceNode, value: SourceEntry): SourceNode {
  const text = textOf(value.node) ?? "";
  if (text.startsWith("regex:")) return checkAt(value.node, "outputMatches", text.slice(6));
  const timeout = durationEntry("timeout", entryOf(node, "timeoutMs"));
  return mapAt([entryAt("command", escapedText(value.node), value.keyRange), timeout], node);
}

function checkAt(place: SourceNode, key: string, pattern: string): SourceNode {
  const { start, end } = place;
  const range = { start, end };
  return mapAt(
    [entryAt(key, scalarAt(pattern, range), range), entryAt("in", scalarAt("text", range), range)],
    range,
  );
}

function repositoryPattern(repository: string | undefined): string {
  if (repository === undefined || repository === "") return PULL_REQUEST;
  return `https://github\\.com/${escapeRegex(repository)}/pull/\\d+`;
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

const NOT_EMPTY = "\\S";
const EMPTY = "\\A\\s*\\z";

/** The checks before a workflow: steps with a command, which all others wait for. */
export function convertPreflight(
  entry: SourceEntry | undefined,
  scope: RelayScope,
): readonly ConvertedStep[] {
  const items = entry?.node.kind === "list" ? entry.node.items : [];
  return items.map((item, index) => convertPreflightCheck(item, index + 1, scope));
}

function convertPreflightCheck(node: SourceNode, number: number, scope: RelayScope): ConvertedStep {
  const { notes, steps } = scope;
  const base = `preflight-${number}`;
  const id = steps.has(base) ? `${base}-check` : base;
  const place = `preflight.${number}`;
  const at = ["steps", id];
  const taken = ["command", "failIf", "successIf", "description"];
  settleRest(notes, { entries: membersOf(node), place, at }, { taken });
  const command = entryOf(node, "command");
  const text =
    command === undefined
      ? { node: scalarAt("false", node), uses: [] }
      : convertText(scope, { node: command.node, place: `${place}.command`, at });
  if (command === undefined)
    notes.refused({ place, range: node, at }, { what: "it has no command" });
  const checks = [failIf(notes, node, { place, at }), successIf(node)].flatMap(
    (check) => check ?? [],
  );
  const { start, end } = node;
  const range = { start, end };
  return {
    id,
    node: mapAt(
      [
        entryAt("id", scalarAt(id, node), command?.keyRange ?? range),
        entryAt("command", text.node, command?.keyRange ?? range),
        // What is asked once is not asked again until the answer fits.
        entryAt("maxAttempts", scalarAt(1, node), range),
        checks.length === 0
          ? undefined
          : entryAt("verify", { kind: "list", items: checks, ...range }, range),
      ],
      node,
    ),
    dependsOn: [],
    dependsOnRange: undefined,
    uses: text.uses,
    agent: undefined,
  };
}

function failIf(
  notes: Notes,
  node: SourceNode,
  { place, at }: { readonly place: string; readonly at: readonly string[] },
): SourceNode | undefined {
  const entry = entryOf(node, "failIf");
  const condition = textOf(entry?.node);
  if (entry === undefined || condition === undefined) return undefined;
  if (condition === "non-empty") return check(entry, EMPTY);
  if (condition === "empty") return check(entry, NOT_EMPTY);
  const hint = "let the command itself end with another exit code than 0";
  const spot = { place: `${place}.failIf`, range: entry.node, at, entry };
  notes.refused(spot, { what: "no check says what an output must not match", hint });
  return undefined;
}

function successIf(node: SourceNode): SourceNode | undefined {
  const entry = entryOf(node, "successIf");
  const condition = textOf(entry?.node);
  if (entry === undefined || condition === undefined) return undefined;
  if (condition === "non-empty") return check(entry, NOT_EMPTY);
  return check(entry, condition === "empty" ? EMPTY : condition);
}

function check({ node, keyRange }: SourceEntry, pattern: string): SourceNode {
  return mapAt([entryAt("outputMatches", scalarAt(pattern, node), keyRange)], node);
}
