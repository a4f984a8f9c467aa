import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toVisibleText } from "../../../foundation/printable.ts";
import type { RunModel } from "../model/run-model.ts";
import type { Revision } from "../model/spans.ts";
import { formatClock } from "../text/figures.ts";
import { Plain, Prose } from "../text/prose.tsx";
import { Person } from "../ui/person.tsx";
import { TextChanges } from "../ui/text-changes.tsx";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "revision", title: "Revision" },
  { name: "by", title: "By" },
  { name: "kind", title: "Change", isWide: true },
  { name: "time", title: "Time" },
];

const FORMS = ["changes", "rendered", "source"] as const;

/** The shared documents as they are at the moment that is shown, and every revision before. */
export function DocumentsPage({ model }: { model: RunModel }): JSX.Element {
  const { position } = model.moment.value;
  const { document: wantedDocument, revision: wantedRevision } = model.route.value;
  const past = model.history.revisions.filter((revision) => revision.position <= position);
  const names = [...new Set(past.map(({ document }) => document))];
  const name = names.find((each) => each === wantedDocument) ?? names[0];
  if (name === undefined)
    return (
      <div class="page">
        <p class="empty">No document has been written at this moment.</p>
      </div>
    );
  const revisions = past.filter(({ document }) => document === name);
  const chosen = revisions.find(({ revision }) => revision === wantedRevision) ?? revisions.at(-1);
  return (
    <div class="page split documents">
      <div class="list-side">
        <nav class="tools" aria-label="Documents">
          {names.map((each) => (
            <a
              key={each}
              class="tab"
              aria-current={each === name ? "page" : undefined}
              href={model.linkTo({ document: each, revision: undefined })}
            >
              {toVisibleText(each)}
            </a>
          ))}
        </nav>
        <VirtualTable
          label={`Revisions of ${name}`}
          columns={COLUMNS}
          count={revisions.length}
          rowHeight={36}
          empty="It has no revision."
          selected={chosen === undefined ? -1 : revisions.indexOf(chosen)}
          cells={(index) => cellsOf(revisions[index], model)}
        />
      </div>
      {chosen === undefined ? null : <RevisionText revision={chosen} />}
    </div>
  );
}

function cellsOf(revision: Revision | undefined, model: RunModel): readonly JSX.Element[] {
  if (revision === undefined) return [];
  const { document, revision: number, by, kind, at } = revision;
  return [
    <a key="revision" href={model.linkTo({ document, revision: number })}>
      {number}
    </a>,
    <Person key="by" id={by} />,
    <span key="kind">{kind === "append" ? "added to" : "rewrote"}</span>,
    <span key="time">{formatClock(at)}</span>,
  ];
}

function RevisionText({ revision }: { revision: Revision }): JSX.Element {
  const [form, setForm] = useState<(typeof FORMS)[number]>("rendered");
  const { document, revision: number, text } = revision;
  return (
    <article class="detail document" aria-label={`${document}, revision ${number}`}>
      <div class="detail-head">
        <h2>
          {toVisibleText(document)} <span class="muted">revision {number}</span>
        </h2>
        <fieldset class="tools" aria-label="Form of the text">
          {FORMS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === form}
              onClick={() => setForm(each)}
            >
              {each}
            </button>
          ))}
        </fieldset>
      </div>
      {form === "rendered" ? <Prose text={text} /> : null}
      {form === "source" ? <Plain text={text} label="Source" /> : null}
      {form === "changes" ? (
        <TextChanges before={revision.before} after={text} label="Changes" />
      ) : null}
    </article>
  );
}
