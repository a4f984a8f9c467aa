import { expect, test } from "vitest";
import { createSecretMasker } from "../../src/foundation/secret-masker.ts";

// Its Base64 has characters that the alphabet of addresses writes otherwise, wherever it stands.
const SECRET = "\u00ff\u00fe~~~???>>>\u00fb\u00ef\u00be";

test.each(["", "a", "ab"])(
  "a secret after %j is masked in the Base64 of addresses, with and without padding [AGT-11, P23.encodings, T11]",
  (before) => {
    const { mask } = createSecretMasker([SECRET]);
    const bytes = Buffer.from(`${before}${SECRET}`);
    const text = bytes.toString("base64url");
    expect(text).toMatch(/[-_]/);
    // Characters at its ends belong to what stands beside it.
    const inside = text.slice(4, -4);
    for (const whole of [text, `${text}=`, `see?token=${text}&x=1`]) {
      expect(mask(whole)).toContain("***");
      expect(mask(whole)).not.toContain(inside);
    }
  },
);
