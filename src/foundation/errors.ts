/** Where in a file a problem lies. Lines and columns count from 1. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** What one error code means: the texts that a person sees, and whether trying again can help. */
export interface ErrorSpec<Details> {
  /** What happened, to which id, expected and got. Built from details only. */
  message(details: Details): string;
  /** What to do next, in one line. Built from details only. */
  hint?(details: Details): string | undefined;
  /** What `troupe explain CODE` adds: when this happens and how to get out of it. */
  readonly about: string;
  /** True when the same call may succeed later. Defaults to false. */
  readonly retryable?: boolean;
}

/** An error as it travels in journals, JSON output, HTTP and MCP. */
export interface ErrorReport extends Place {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly retryable?: boolean;
  readonly details?: unknown;
}

/** Builds the error of one code. `code` and `about` serve the catalogue of codes. */
export interface ErrorFactory<Code extends string = string, Details = never> {
  (details: Details, options?: ErrorOptions & Place): TroupeError<Code, Details>;
  readonly code: Code;
  readonly about: string;
  readonly retryable: boolean;
}

interface TroupeErrorParts<Code extends string, Details> extends ErrorReport {
  readonly code: Code;
  readonly details: Details;
}

/** The only error class thrown on purpose. Branch on `code`, never on `message`. */
export class TroupeError<Code extends string = string, Details = unknown> extends Error {
  override readonly name = "TroupeError";
  readonly code: Code;
  readonly details: Details;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly place: Place;

  constructor(parts: TroupeErrorParts<Code, Details>, options?: ErrorOptions) {
    super(parts.message, options);
    this.code = parts.code;
    this.details = parts.details;
    this.retryable = parts.retryable ?? false;
    this.hint = parts.hint;
    this.place = toPlace(parts);
  }
}

/** Declares one error code; the result builds the error, for `throw` or `reject`. */
export function defineError<const Code extends string, Details>(
  code: Code,
  spec: ErrorSpec<Details>,
): ErrorFactory<Code, Details> {
  const retryable = spec.retryable ?? false;
  const build = (
    details: Details,
    options: ErrorOptions & Place = {},
  ): TroupeError<Code, Details> => {
    const hint = spec.hint?.(details);
    const message = spec.message(details);
    const parts = { ...toPlace(options), code, details, message, retryable };
    const cause = options.cause === undefined ? undefined : { cause: options.cause };
    return new TroupeError(hint === undefined ? parts : { ...parts, hint }, cause);
  };
  return Object.assign(build, { code, about: spec.about, retryable });
}

const INTERNAL = "INTERNAL";
const MAX_INTERNAL_CHARS = 1000;

/** The report of any thrown value. What is no TroupeError becomes `INTERNAL` with its message. */
export function toErrorReport(error: unknown): ErrorReport {
  if (!(error instanceof TroupeError)) {
    return { code: INTERNAL, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, hint, retryable, details, place } = error;
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(retryable ? { retryable } : {}),
    ...place,
    ...(details === undefined ? {} : { details }),
  };
}

/**
 * A report of which an internal error tells but the beginning: nobody wrote it for people, and it may hold all that
 * Troupe worked on. Secrets are masked before: of a half one nobody would know that it is one.
 */
export function shortenInternal(report: ErrorReport): ErrorReport {
  const { code, message } = report;
  if (code !== INTERNAL || message.length <= MAX_INTERNAL_CHARS) return report;
  const left = message.length - MAX_INTERNAL_CHARS;
  const start = message.slice(0, MAX_INTERNAL_CHARS).toWellFormed();
  return { ...report, message: `${start}… (${left} more characters)` };
}

/** The error that a report describes, as it was before it became data. */
export function fromErrorReport(report: ErrorReport): TroupeError {
  return new TroupeError({ details: undefined, ...report });
}

function toPlace(parts: Place): Place {
  return {
    ...(parts.file === undefined ? {} : { file: parts.file }),
    ...(parts.line === undefined ? {} : { line: parts.line }),
    ...(parts.column === undefined ? {} : { column: parts.column }),
  };
}
