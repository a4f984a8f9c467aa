import type { ComponentChild, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { toVisibleText } from "../../../foundation/printable.ts";
import { type Block, type Inline, type ListItem, parseMarkdown } from "./markdown.ts";

// A page with megabytes of text in view would not scroll any more.
const FIRST_CHARS = 20_000;

/** A text that somebody wrote, read as Markdown. Nothing of it is ever taken for HTML. */
export function Prose({ text }: { text: string }): JSX.Element {
  const { shown, more } = useClipped(text);
  const blocks = useMemo(() => parseMarkdown(toVisibleText(shown)), [shown]);
  return (
    <div class="prose" dir="auto">
      {blocks.map(showBlock)}
      {more}
    </div>
  );
}

/** A text as it is: output of commands, code, JSON. */
export function Plain({ text, label }: { text: string; label: string }): JSX.Element {
  const { shown, more } = useClipped(text);
  return (
    <>
      <section class="plain" tabIndex={0} aria-label={label}>
        <pre>{toVisibleText(shown)}</pre>
      </section>
      {more}
    </>
  );
}

/** A short text in a line. */
export function Words({ text }: { text: string }): JSX.Element {
  return <bdi>{toVisibleText(text)}</bdi>;
}

function useClipped(text: string): { readonly shown: string; readonly more: JSX.Element | null } {
  const [wholeOf, setWholeOf] = useState<string>();
  if (text.length <= FIRST_CHARS || wholeOf === text) return { shown: text, more: null };
  const rest = text.length - FIRST_CHARS;
  return {
    shown: text.slice(0, FIRST_CHARS),
    more: (
      <button type="button" onClick={() => setWholeOf(text)}>
        Show {rest.toLocaleString("en")} more characters
      </button>
    ),
  };
}

function showBlock(block: Block, key: number): JSX.Element {
  switch (block.kind) {
    case "heading":
      return (
        <p key={key} class={`heading heading-${block.level}`}>
          {block.inlines.map(showInline)}
        </p>
      );
    case "paragraph":
      return <p key={key}>{block.inlines.map(showInline)}</p>;
    case "code":
      return (
        <pre key={key}>
          {block.language === "" ? null : <span class="language">{block.language}</span>}
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote key={key}>{block.blocks.map(showBlock)}</blockquote>;
    case "list":
      return block.isOrdered ? (
        <ol key={key}>{block.items.map(showItem)}</ol>
      ) : (
        <ul key={key}>{block.items.map(showItem)}</ul>
      );
    case "rule":
      return <hr key={key} />;
  }
}

function showItem({ depth, number, inlines }: ListItem, key: number): JSX.Element {
  return (
    <li key={key} class={`depth-${depth}`} value={number}>
      {inlines.map(showInline)}
    </li>
  );
}

function showInline(inline: Inline, key: number): ComponentChild {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return <code key={key}>{inline.text}</code>;
    case "strong":
      return <strong key={key}>{inline.text}</strong>;
    case "emphasis":
      return <em key={key}>{inline.text}</em>;
    case "link":
      return (
        <a key={key} href={inline.url} target="_blank" rel="noopener noreferrer">
          {inline.text}
        </a>
      );
  }
}
