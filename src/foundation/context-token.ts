import { SECRET_MASK } from "./masked-text.ts";
import { type MaskedBytes, maskTexts, type SecretMasker } from "./secret-masker.ts";

/** How the token of an agent's session begins, so that it is recognised wherever it turns up. */
export const CONTEXT_TOKEN_PREFIX = "tcx_";

const PREFIX_CHARS = CONTEXT_TOKEN_PREFIX.length;

/** Characters after the prefix: 256 bits as base64url. */
const SECRET_CHARS = 43;

const TOKEN = new RegExp(`${CONTEXT_TOKEN_PREFIX}[\\w-]{${SECRET_CHARS}}`, "g");
const BEGUN_TOKEN = new RegExp(
  `(?:${CONTEXT_TOKEN_PREFIX}[\\w-]{0,${SECRET_CHARS - 1}}|tcx|tc|t)$`,
);

/** Masks what another masker masks, and the tokens of agents' sessions from when the first one exists. */
export interface ContextTokenMasker extends SecretMasker {
  /** A token exists from here on. Until then there is nothing to look for, and looking would cost time. */
  arm(): void;
}

/** Masks tokens by their form: they come and go with sessions, and there may be thousands. */
export function createContextTokenMasker(inner: SecretMasker): ContextTokenMasker {
  let isArmed = false;
  const mask = (text: string) => {
    const masked = inner.mask(text);
    return isArmed ? masked.replace(TOKEN, SECRET_MASK) : masked;
  };
  return {
    get isEmpty() {
      return !isArmed && inner.isEmpty;
    },
    arm: () => {
      isArmed = true;
    },
    mask,
    maskJson: (value) => (isArmed ? maskTexts(value, mask) : inner.maskJson(value)),
    stream: () => createStream(inner.stream()),
  };
}

// What is held back is read as a text together with so much of what follows.
const PIECE_BYTES = 1024;

function createStream(inner: MaskedBytes): MaskedBytes {
  let held = "";
  const readAsText = (bytes: Buffer) => {
    const text = (held + bytes.toString("latin1")).replace(TOKEN, SECRET_MASK);
    const begun = BEGUN_TOKEN.exec(text)?.index ?? text.length;
    held = text.slice(begun);
    return Buffer.from(text.slice(0, begun), "latin1");
  };
  const take = (bytes: Buffer): readonly Buffer[] => {
    let rest = bytes;
    const out: Buffer[] = [];
    while (rest.length > 0 && held !== "") {
      out.push(readAsText(rest.subarray(0, PIECE_BYTES)));
      rest = rest.subarray(PIECE_BYTES);
    }
    // What holds no token and does not end in one stays as it is: nearly all output.
    if (rest.includes(CONTEXT_TOKEN_PREFIX)) out.push(readAsText(rest));
    else {
      const safe = mayBegin(rest) ? Math.max(0, rest.length - PREFIX_CHARS) : rest.length;
      out.push(rest.subarray(0, safe), readAsText(rest.subarray(safe)));
    }
    return out;
  };
  return {
    push: (chunk) => inner.push(chunk).flatMap(take),
    end: () => {
      const last = Buffer.concat([...take(inner.end()), Buffer.from(held, "latin1")]);
      held = "";
      return last;
    },
  };
}

/** Whether the last bytes may be the beginning of the prefix. */
function mayBegin(bytes: Buffer): boolean {
  return BEGUN_TOKEN.test(bytes.toString("latin1", Math.max(0, bytes.length - PREFIX_CHARS)));
}
