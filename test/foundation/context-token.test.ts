import { expect, test } from "vitest";
import { createContextTokenMasker } from "../../src/foundation/context-token.ts";
import { createSecretMasker } from "../../src/foundation/secret-masker.ts";

const TOKEN = `tcx_${"aB3-_".repeat(9).slice(0, 43)}`;

function armed(secrets: readonly string[] = []) {
  const masker = createContextTokenMasker(createSecretMasker(secrets));
  masker.arm();
  return masker;
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
    const stream = armed().stream();
    const pieces = [stream.push(text.slice(0, cut)), stream.push(text.slice(cut)), stream.end()];
    expect(pieces.join("")).toBe("TROUPE_CONTEXT_TOKEN=***\nnext tcx_no, that");
  }
  const stream = armed().stream();
  const single = [...text].map((character) => stream.push(character)).join("") + stream.end();
  expect(single).toBe("TROUPE_CONTEXT_TOKEN=***\nnext tcx_no, that");
});
