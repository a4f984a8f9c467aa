import type { TroupeError } from "../../../foundation/errors.ts";
import type { SourceEntry, SourceRange } from "../../source/source-node.ts";
import { importChanged, importLeftOut, importRefused } from "./errors.ts";
import type { ImportNote } from "./importer.ts";
import { isNothing } from "./nodes.ts";

/** What is lost or changed, and what to do about it. */
export interface Remark {
  readonly what: string;
  readonly hint?: string;
}

/** Where a remark belongs. */
export interface Spot {
  /** The path in the file. */
  readonly place: string;
  readonly range: SourceRange;
  /** The path in the tree that comes out. */
  readonly at: readonly string[];
  /** What a converted file keeps, if it is refused. */
  readonly entry?: SourceEntry;
}

/** What comes of keys without a counterpart. */
export type Remarks = { readonly [key: string]: Remark };

/** Collects what is not carried over as it is: the first 100 errors and the first 100 warnings. */
export interface Notes {
  /** What is said of keys that nobody knows. */
  readonly others: Remark;
  /** Whether further warnings are dropped. */
  readonly isFull: boolean;
  leftOut(spot: Spot, remark: Remark): void;
  changed(spot: Spot, remark: Remark): void;
  refused(spot: Spot, remark: Remark): void;
  /** Errors first. */
  all(): readonly ImportNote[];
}

// Nobody reads more, and finding the place of each takes long.
const MAX_NOTES = 100;

/** A collection without notes. */
export function createNotes({ others }: Pick<Notes, "others">): Notes {
  const warnings: ImportNote[] = [];
  const errors: ImportNote[] = [];
  const add =
    (
      define: (loss: Remark & { readonly place: string }) => TroupeError,
      severity: ImportNote["severity"],
    ) =>
    ({ place, range, at, entry }: Spot, remark: Remark) => {
      const notes = severity === "error" ? errors : warnings;
      if (notes.length === MAX_NOTES) return;
      const kept = severity === "error" && entry !== undefined ? { kept: entry } : {};
      notes.push({ error: define({ place, ...remark }), range, severity, at, ...kept });
    };
  return {
    others,
    get isFull() {
      return warnings.length === MAX_NOTES;
    },
    leftOut: add(importLeftOut, "warning"),
    changed: add(importChanged, "warning"),
    refused: add(importRefused, "error"),
    all: () => [...errors, ...warnings],
  };
}

/** An object of the file whose members are settled one by one. */
export interface SettledMembers {
  readonly entries: readonly SourceEntry[];
  /** Its path in the file. */
  readonly place: string;
  readonly at: readonly string[];
}

/** How the members without a counterpart are settled. */
export interface Settlement {
  /** Keys that are carried over, or mean nothing. */
  readonly taken: readonly string[];
  readonly leftOut?: Remarks;
  readonly refused?: Remarks;
}

/** Tells of every member that is not carried over. What says nothing is not missed. */
export function settleRest(
  notes: Notes,
  { entries, place, at }: SettledMembers,
  { taken, leftOut = {}, refused = {} }: Settlement,
): void {
  for (const entry of entries) {
    const { key, keyRange, node } = entry;
    if (taken.includes(key) || isNothing(node)) continue;
    const spot = { place: place === "" ? key : `${place}.${key}`, range: keyRange, at, entry };
    const refusal = Object.hasOwn(refused, key) ? refused[key] : undefined;
    const loss = Object.hasOwn(leftOut, key) ? leftOut[key] : undefined;
    if (refusal !== undefined) notes.refused(spot, refusal);
    else if (loss !== undefined) notes.leftOut(spot, loss);
    else tellUnknown(notes, spot, { key, known: [...taken, ...Object.keys(refused)] });
  }
}

/** What is a known key but for its spelling means that, and may be what orders or bounds the work: it is not lost. */
function tellUnknown(
  notes: Notes,
  spot: Spot,
  { key, known }: { readonly key: string; readonly known: readonly string[] },
): void {
  const spelled = known.find((each) => spellingOf(each) === spellingOf(key));
  if (spelled === undefined) notes.leftOut(spot, notes.others);
  else notes.refused(spot, { what: `here it is spelled ${spelled}`, hint: `write ${spelled}` });
}

function spellingOf(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, "");
}
