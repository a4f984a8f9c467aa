// A page may be written to be slow to read. So every pattern looks for what is there: what opens nothing is text, and
// elements are looked for no further than where one of their kind closes for the last time.

/** Parts of a page that are not for reading. */
const LEFT_OUT = ["script", "style", "noscript", "template", "svg", "nav", "footer", "iframe"];
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];
const MAX_TAG_CHARS = 4000;
const NO_TAG = new RegExp(`<(?![^<>]{0,${MAX_TAG_CHARS}}>)`, "g");
const HREF = /\bhref\s*=\s*["']?([^"'\s>]+)/i;
const ITEM = /<li\b[^<>]*>/gi;
const BLOCK =
  /<\/?(?:p|div|section|article|main|header|ul|ol|table|tr|br|hr|blockquote|h[1-6]|li|pre)\b[^<>]*>/gi;
const TAG = /<[^<>]*>/g;
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

/** Tags, entities and lines of a page that are read: several times as many as the longest real pages have. */
const MAX_MARKS = 250_000;
const LESS = 0x3c;
const AMPERSAND = 0x26;
const NEWLINE = 0x0a;

/**
 * The beginning of a page that `pageText` reads in about half a second whatever is in it; all of the page unless it has
 * far more tags than real ones.
 */
export function readablePart(html: string): string {
  let marks = 0;
  for (let at = 0; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code !== LESS && code !== AMPERSAND && code !== NEWLINE) continue;
    marks += 1;
    if (marks > MAX_MARKS) return html.slice(0, at);
  }
  return html;
}

/** What a page of HTML says, as Markdown: its main part, with headings, lists, links and code. */
export function pageText(html: string, base: string): string {
  let text = withoutComments(html).replaceAll(NO_TAG, "&lt;");
  for (const name of LEFT_OUT) text = replaceElements(text, name, () => "");
  text = mainPart(text);
  text = replaceElements(
    text,
    "pre",
    ({ content }) => `\n\`\`\`\n${content.replaceAll(TAG, "")}\n\`\`\`\n`,
  );
  for (const [index, name] of HEADINGS.entries())
    text = replaceElements(
      text,
      name,
      ({ content }) => `\n\n${"#".repeat(index + 1)} ${inline(content)}\n\n`,
    );
  text = replaceElements(text, "a", ({ tag, content }) => {
    const [, href] = HREF.exec(tag) ?? [];
    return href === undefined ? content : linkText(inline(content), href, base);
  });
  const marked = text.replaceAll(ITEM, "\n- ").replaceAll(BLOCK, "\n").replaceAll(TAG, "");
  return decodeEntities(marked)
    .replaceAll(/[ \t\r\f\v]+/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

interface PageElement {
  /** Its opening tag. */
  readonly tag: string;
  readonly content: string;
}

/** Replaces the elements of a name, each up to where the next one of its kind closes. */
function replaceElements(
  text: string,
  name: string,
  replace: (element: PageElement) => string,
): string {
  const tags = new RegExp(`<(/?)${name}(?![\\w-])[^<>]*>`, "gi");
  let [out, done] = ["", 0];
  let open: { readonly at: number; readonly tag: string } | undefined;
  for (const { 0: tag, 1: slash, index } of text.matchAll(tags)) {
    if (slash === "") open ??= { at: index, tag };
    else if (open !== undefined) {
      const content = text.slice(open.at + open.tag.length, index);
      out += text.slice(done, open.at) + replace({ tag: open.tag, content });
      done = index + tag.length;
      open = undefined;
    }
  }
  return out + text.slice(done);
}

function withoutComments(html: string): string {
  let [out, done] = ["", 0];
  for (;;) {
    const start = html.indexOf("<!--", done);
    const end = start < 0 ? -1 : html.indexOf("-->", start + 4);
    if (end < 0) return out + html.slice(done);
    out += html.slice(done, start);
    done = end + 3;
  }
}

/** From where the first main part opens to where the last one closes. */
function mainPart(text: string): string {
  for (const name of ["main", "article"]) {
    const opened = new RegExp(`<${name}(?![\\w-])[^<>]*>`, "i").exec(text);
    const closed = text.toLowerCase().lastIndexOf(`</${name}`);
    if (opened !== null && closed > opened.index)
      return text.slice(opened.index + opened[0].length, closed);
  }
  return text;
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
