import { expect, test } from "vitest";
import { createContextTokenMasker } from "../../src/foundation/context-token.ts";
import { createSecretMasker, type SecretMasker } from "../../src/foundation/secret-masker.ts";

const TOKEN = `tcx_${"aB3-_".repeat(9).slice(0, 43)}`;

function armed(secrets: readonly string[] = []) {
  const masker = createContextTokenMasker(createSecretMasker(secrets));
  masker.arm();
  return masker;
}

function masked(masker: SecretMasker, pieces: readonly string[]): string {
  const stream = masker.stream();
  const out = pieces.flatMap((piece) => stream.push(Buffer.from(piece)));
  return Buffer.concat([...out, stream.end()]).toString();
}

test("tokens of sessions are masked from when there is one, beside the secrets that are known [MCP-3, T11]", () => {
  const masker = createContextTokenMasker(createSecretMasker([]));
  expect([masker.isEmpty, masker.mask(TOKEN)]).toEqual([true, TOKEN]);
  masker.arm();
  expect(masker.isEmpty).toBe(false);
  expect(masker.mask(`a=${TOKEN}; b=${TOKEN}`)).toBe("a=***; b=***");
  expect(masker.maskJson({ env: [TOKEN], [TOKEN]: 1 })).toEqual({ env: ["***"], "***": 1 });
  expect(armed(["hunter22"]).mask(`hunter22 ${TOKEN}`)).toBe("*** ***");
  expect(masker.mask("tcx_short stays, and so does text")).toBe(
    "tcx_short stays, and so does text",
  );
});

test("a token that comes in pieces is masked, and nothing else is held back for long [MCP-3, T11]", () => {
  const text = `TROUPE_CONTEXT_TOKEN=${TOKEN}\nnext tcx_no, that`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(masked(armed(), [text.slice(0, cut), text.slice(cut)])).toBe(
      "TROUPE_CONTEXT_TOKEN=***\nnext tcx_no, that",
    );
  }
  for (let size = 1; size < 60; size += 1)
    expect(masked(armed(), text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])).toBe(
      "TROUPE_CONTEXT_TOKEN=***\nnext tcx_no, that",
    );
  expect(masked(armed(), ["x", "tcx", TOKEN.slice(3)])).toBe("x***");
  expect(masked(armed(), [...text])).toBe("TROUPE_CONTEXT_TOKEN=***\nnext tcx_no, that");
});
