/** Parts of a page that are not for reading. */
const LEFT_OUT =
  /<(script|style|noscript|template|svg|nav|footer|iframe)\b[^>]*>[\s\S]*?<\/\1\s*>/gi;
const COMMENT = /<!--[\s\S]*?-->/g;
const MAIN = /<(main|article)\b[^>]*>([\s\S]*)<\/\1\s*>/i;
const HEADING = /<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1\s*>/gi;
const LINK = /<a\b[^>]*?\bhref\s*=\s*["']?([^"'\s>]+)[^>]*>([\s\S]*?)<\/a\s*>/gi;
const ITEM = /<li\b[^>]*>/gi;
const CODE = /<pre\b[^>]*>([\s\S]*?)<\/pre\s*>/gi;
const BLOCK =
  /<\/?(?:p|div|section|article|main|header|ul|ol|table|tr|br|hr|blockquote|h[1-6]|li|pre)\b[^>]*>/gi;
const TAG = /<[^>]*>/g;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
    ["nbsp", " "],
  ] as const),
  ...([
    ["mdash", "—"],
    ["ndash", "–"],
    ["hellip", "…"],
    ["copy", "©"],
  ] as const),
]);

/** What a page of HTML says, as Markdown: its main part, with headings, lists, links and code. */
export function pageText(html: string, base: string): string {
  const whole = html.replaceAll(COMMENT, "").replaceAll(LEFT_OUT, "");
  const [, , main = whole] = MAIN.exec(whole) ?? [];
  const marked = main
    .replaceAll(CODE, (_, code: string) => `\n\`\`\`\n${code.replaceAll(TAG, "")}\n\`\`\`\n`)
    .replaceAll(
      HEADING,
      (_, level: string, text: string) => `\n\n${"#".repeat(Number(level))} ${inline(text)}\n\n`,
    )
    .replaceAll(LINK, (_, href: string, text: string) => linkText(inline(text), href, base))
    .replaceAll(ITEM, "\n- ")
    .replaceAll(BLOCK, "\n")
    .replaceAll(TAG, "");
  return decodeEntities(marked)
    .replaceAll(/[ \t\r\f\v]+/g, " ")
    .replaceAll(/ *\n */g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function inline(html: string): string {
  return html.replaceAll(TAG, "").replaceAll(/\s+/g, " ").trim();
}

function linkText(text: string, href: string, base: string): string {
  if (text === "") return "";
  const target = decodeEntities(href);
  const isUsual = URL.canParse(target, base) && /^https?:$/.test(new URL(target, base).protocol);
  return isUsual ? `[${text}](${new URL(target, base).href})` : text;
}

function decodeEntities(text: string): string {
  return text
    .replaceAll(
      /&([a-z]{2,8});/gi,
      (whole, name: string) => ENTITIES.get(name.toLowerCase()) ?? whole,
    )
    .replaceAll(/&#(\d{1,7});/g, (_, digits: string) => characterOf(Number(digits)))
    .replaceAll(/&#x([0-9a-f]{1,6});/gi, (_, digits: string) =>
      characterOf(Number.parseInt(digits, 16)),
    );
}

function characterOf(point: number): string {
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : "";
}
