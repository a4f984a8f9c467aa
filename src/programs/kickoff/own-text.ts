import { scanTemplate } from "../language/templates/template.ts";

/** What a template says itself: its variables are spaces, because what they hold comes from outside. */
export function ownText(template: string): string {
  return scanTemplate(template, "dollar")
    .parts.map((part) => (part.kind === "text" ? part.text : " "))
    .join("");
}
