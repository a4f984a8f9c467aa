import { z } from "zod";
import { INSTANCE_PATTERN } from "../../foundation/ids.ts";
import type { EventRow } from "../hash-chain.ts";

// A run as lines of JSON: a header, its texts, its events as they are stored, and a trailer with the hash of
// every byte before it. Whoever reads it needs no other file and can trust no part before the trailer. A run with
// others below it names them in its header; each of them follows as an export of its own.

/** Version of the export format. */
export const EXPORT_VERSION = 2;
/** Version of the export of a run alone. */
export const LONE_EXPORT_VERSION = 1;

/** What is missing in an export of a damaged run, and why. */
export interface Salvage {
  readonly problem: string;
  /** How far the seal of the run says that its journal reached; null when that is unknown. */
  readonly sealedSeq: number | null;
  /** Texts that were damaged and left out. */
  readonly lostTexts: number;
}

/** The first line. A type, so that it is Json. */
export type ExportHeader = {
  readonly format: "troupe-run";
  readonly v: number;
  readonly run: string;
  /** Version of the events in it. */
  readonly eventFormat: number;
  /** Version of troupe that wrote it. */
  readonly troupe: string;
  /** ISO time. */
  readonly exportedAt: string;
  /** The highest epoch of an owner so far. */
  readonly epoch: number;
  /** The runs below it whose exports follow, in this order, parents before their children. */
  readonly below?: readonly string[];
  readonly salvage?: Salvage;
};

/** A text that events refer to by its hash. */
export interface ExportText {
  readonly hash: string;
  readonly text: string;
}

/** The last line. */
export interface ExportTrailer {
  readonly events: number;
  readonly texts: number;
  /** The last event and its hash. */
  readonly seal: { readonly seq: number; readonly hash: string };
  /** SHA-256 of all bytes before this line. */
  readonly sha256: string;
}

const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** Enough of a header to tell its version. */
export const versionSchema = z.object({ format: z.literal("troupe-run"), v: z.int() });

export const headerSchema: z.ZodType<ExportHeader> = z.object({
  format: z.literal("troupe-run"),
  v: z.int(),
  run: z.string().regex(INSTANCE_PATTERN),
  eventFormat: z.int(),
  troupe: z.string().max(100),
  exportedAt: z.string().max(100),
  epoch: count,
  below: z.array(z.string().regex(INSTANCE_PATTERN)).min(1).exactOptional(),
  salvage: z
    .object({ problem: z.string(), sealedSeq: count.nullable(), lostTexts: count })
    .exactOptional(),
});

const event: z.ZodType<EventRow> = z.object({
  seq: z.int(),
  at: z.int(),
  type: z.string(),
  body: z.string(),
  hash,
});

/** Every line after the header. */
export const lineSchema = z.union([
  z.object({ event }),
  z.object({ text: z.object({ hash, text: z.string() }) }),
  z.object({
    end: z.object({
      events: count,
      texts: count,
      seal: z.object({ seq: count, hash }),
      sha256: hash,
    }),
  }),
]);
