import {
  maskTexts,
  SECRET_MASK,
  type SecretMasker,
  type SecretMaskStream,
} from "./secret-masker.ts";

/** How the token of an agent's session begins, so that it is recognised wherever it turns up. */
export const CONTEXT_TOKEN_PREFIX = "tcx_";

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

function createStream(inner: SecretMaskStream): SecretMaskStream {
  let held = "";
  const take = (text: string) => {
    const whole = (held + text).replace(TOKEN, SECRET_MASK);
    const begun = BEGUN_TOKEN.exec(whole)?.index ?? whole.length;
    held = whole.slice(begun);
    return whole.slice(0, begun);
  };
  return {
    push: (text) => take(inner.push(text)),
    end: () => {
      const last = take(inner.end()) + held;
      held = "";
      return last;
    },
  };
}
