import type { Random } from "../../../foundation/random.ts";

// A participant of a simulation knows of a pattern what its prompt says, so that patterns to come are simulated, too.

/** A line that a prompt asks for: `VOTE: approve`, with what the prompt says of it. */
interface AskedLine {
  readonly word: string;
  /** What stands behind the word; may hold `<placeholders>`. */
  readonly form: string;
  /** The sentence after it. */
  readonly about: string;
}

const LINE = /`([A-Z][A-Z_]{2,})(:?)([^`\n]*)`([^\n]{0,200})/g;
const REMINDED = /^([A-Z][A-Z_]{2,}):([^\n]*)$/gm;
const GIVING_UP: ReadonlySet<string> = new Set(["BLOCKED", "FAILED", "CONCEDE"]);

/** Words of the signals that a prompt names. */
export function wordsIn(prompt: string): readonly string[] {
  return [...new Set(linesIn(prompt).map(({ word }) => word))];
}

/** An answer as the prompt asks for it, with values of nobody's choosing. */
export function asAsked(prompt: string, random: Random): string {
  const lines = linesIn(prompt).filter(({ word }) => !GIVING_UP.has(word));
  // What stands last is about this turn; what stands before it, about all.
  const recent = lines.slice(-3);
  const chosen = recent[Math.floor(random() * recent.length)];
  if (chosen === undefined) return `a result: ${Math.floor(random() * 1000)}`;
  return `I have looked at it.\n${chosen.word}: ${valueFor(chosen, prompt, random)}`;
}

function linesIn(prompt: string): readonly AskedLine[] {
  const lines = [...prompt.matchAll(LINE)].map(([, word = "", , form = "", about = ""]) => ({
    word,
    form: form.trim(),
    about,
  }));
  if (!prompt.includes("Your turn ended without the signal")) return lines;
  const reminded = [...prompt.matchAll(REMINDED)].map(([, word = "", form = ""]) => ({
    word,
    form: form.trim(),
    about: "",
  }));
  return [...lines, ...reminded];
}

function valueFor({ word, form, about }: AskedLine, prompt: string, random: Random): string {
  const choose = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? "x";
  const number = () => String(Math.floor(random() * 100) / 10);
  if (word === "VOTE") return choose(["approve it is right", "reject it is wrong"]);
  if (word === "VERDICT") return choose(positionsIn(prompt));
  const filled = form
    .replaceAll(
      /\[(\w+)=[^\]]*\]/g,
      (_, key: string) => `[${key}=${key === "time" ? "10m" : random().toFixed(2)}]`,
    )
    .replaceAll(/<agent[^>]*>/g, () => choose(peersIn(prompt)))
    .replaceAll(/<[^>]*>/g, () => choose(["something", "another thing", number()]));
  if (filled !== "") return filled;
  const offered = /followed by ([^.]*)/.exec(about)?.[1] ?? "";
  const choices = [...offered.matchAll(/`([a-z]+)`/g)].map(([, choice = ""]) => choice);
  if (choices.length > 0) return choose(choices);
  if (/\bapprove\b/.test(offered)) return choose(["approve", "reject too long"]);
  return /\bnumber\b/.test(offered) ? number() : `result ${number()}`;
}

function peersIn(prompt: string): readonly string[] {
  const list = /The other agents: ([^\n]*)\./.exec(prompt)?.[1] ?? "";
  return list
    .split(", ")
    .map((peer) => peer.replace(/ \(.*$/, ""))
    .concat("nobody");
}

function positionsIn(prompt: string): readonly string[] {
  const list = /The positions: ([^\n]*)\. You are given/.exec(prompt)?.[1];
  return list === undefined ? peersIn(prompt) : [...list.split(" / "), "another one"];
}
