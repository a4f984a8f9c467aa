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

test("what is no token goes through as it is, whatever its bytes are [MCP-3]", () => {
  const bytes = Buffer.from([0xff, 0x74, 0x63, 0x00, 0xc3, 0x74]);
  const stream = armed().stream();
  const out = [...stream.push(bytes), stream.end()];
  expect(Buffer.concat(out)).toEqual(bytes);
  expect(stream.end()).toEqual(Buffer.alloc(0));
});

test("only what may become a token is held back, and large parts are not copied [MCP-3]", () => {
  const stream = armed().stream();
  const push = (text: string) => Buffer.concat(stream.push(Buffer.from(text))).toString();
  expect(push("hello t")).toBe("hello ");
  expect(push("c")).toBe("");
  expect(push("x and more")).toBe("tcx and more");
  expect(push("tcx_")).toBe("");
  expect(push(TOKEN.slice(4, 20))).toBe("");
  expect(push(`${TOKEN.slice(20)}${"y".repeat(5000)}`)).toBe(`***${"y".repeat(5000)}`);
  const large = Buffer.from("z".repeat(5000));
  const [first] = armed().stream().push(large);
  expect(first?.buffer).toBe(large.buffer);
});

test("a masker without secrets and tokens masks nothing, one with either is not empty [MCP-3]", () => {
  const masker = createContextTokenMasker(createSecretMasker([]));
  expect(masker.maskJson({ a: [TOKEN] })).toEqual({ a: [TOKEN] });
  const known = createContextTokenMasker(createSecretMasker(["hunter22"]));
  expect([known.isEmpty, known.mask("hunter22"), known.maskJson(["hunter22"])]).toEqual([
    false,
    "***",
    ["***"],
  ]);
  expect(masked(armed(["hunter22"]), [`hunt`, `er22 ${TOKEN} x`])).toBe("*** *** x");
});
