// What XML 1.0 cannot hold, however it is written.
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** A text as content or attribute value of XML: nothing in it is markup. */
export function toXmlText(text: string): string {
  return text.replace(NOT_XML, "\ufffd").replace(/[&<>"']/g, (sign) => ENTITIES.get(sign) ?? sign);
}
