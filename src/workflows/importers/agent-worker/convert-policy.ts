import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import { entryAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, settleRest } from "../parts/notes.ts";

const MODES: ReadonlyMap<string, string> = new Map([
  ["default", "ask"],
  ["acceptEdits", "accept-edits"],
  ["bypassPermissions", "bypass"],
]);
const HARMLESS_SANDBOXES: ReadonlySet<string | undefined> = new Set([
  ...["workspace-write", "harness-write", "danger-full-access", undefined],
]);

/** Tells of what a policy says and cannot be kept. */
export function tellPolicy(
  notes: Notes,
  policy: SourceNode | undefined,
  { place, at }: { readonly place: string; readonly at: readonly string[] },
): void {
  const hint = "permissionMode says what an agent may do without asking";
  const isRisky = !HARMLESS_SANDBOXES.has(textOf(entryOf(policy, "sandbox")?.node));
  const fullAuto = { what: "agents ask unless permissionMode says otherwise", hint };
  const stricter = { what: "fullAuto: false is stricter and counts" };
  const kept = "no sandbox is put around agents";
  const lost = "without it the agent could write";
  const members = { entries: membersOf(policy), place, at };
  const auto = entryOf(policy, "fullAuto");
  const isAsking = auto !== undefined && isOff(auto);
  settleRest(notes, members, {
    taken: isAsking ? [] : ["permissionMode"],
    leftOut: {
      ...(isAsking ? { permissionMode: stricter } : {}),
      fullAuto,
      ...(isRisky ? {} : { sandbox: { what: kept, hint } }),
    },
    refused: isRisky ? { sandbox: { what: lost, hint: "use permissionMode: plan" } } : {},
  });
}

/** What an agent may do without asking: its own policy counts before that of the file. */
export function convertPolicy(
  own: SourceNode | undefined,
  shared: SourceNode | undefined,
): SourceEntry | undefined {
  const auto = entryOf(own, "fullAuto") ?? entryOf(shared, "fullAuto");
  // Which of the two counts depends on the program there: the stricter one does here.
  if (auto !== undefined && isOff(auto))
    return entryAt("permissionMode", scalarAt("ask", auto.node), auto.keyRange);
  const mode = entryOf(own, "permissionMode") ?? entryOf(shared, "permissionMode");
  if (mode === undefined) return undefined;
  const text = textOf(mode.node) ?? "";
  return entryAt("permissionMode", scalarAt(MODES.get(text) ?? text, mode.node), mode.keyRange);
}

function isOff({ node }: SourceEntry): boolean {
  return node.kind === "scalar" && node.value === false;
}
