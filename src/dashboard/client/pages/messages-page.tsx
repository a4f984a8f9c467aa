import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Message } from "../../../contracts/message.ts";
import { findMessage } from "../../../fold/state/message-source.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { type Receipt, receiptsOf } from "../model/receipts.ts";
import type { RunModel } from "../model/run-model.ts";
import { formatClock } from "../text/figures.ts";
import { Prose } from "../text/prose.tsx";
import { LookIcon } from "../ui/look-icon.tsx";
import { Person } from "../ui/person.tsx";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "time", title: "Time", isWide: true },
  { name: "from", title: "From" },
  { name: "text", title: "Message" },
  { name: "to", title: "For" },
];

const MAX_CHARS = 300;

/** What agents and people have said so far, for whom, and who has dealt with it. */
export function MessagesPage({ model }: { model: RunModel }): JSX.Element {
  const [who, setWho] = useState("");
  const { state } = model.moment.value;
  const all = state.messages.recent;
  const messages = who === "" ? all : all.filter((message) => concerns(message, who));
  const wanted = model.route.value.message;
  const selected = wanted === undefined ? undefined : findMessage({ state }, wanted);
  const names = [...new Set(["user", ...state.agents.keys(), ...state.messages.writtenAt.keys()])];
  return (
    <div class={selected === undefined ? "page" : "page split"}>
      <div class="list-side">
        <div class="tools">
          <label>
            Who{" "}
            <select value={who} onChange={({ currentTarget }) => setWho(currentTarget.value)}>
              <option value="">everybody</option>
              {names.map((name) => (
                <option key={name} value={name}>
                  {toVisibleText(name)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <VirtualTable
          label="Messages"
          columns={COLUMNS}
          count={messages.length}
          rowHeight={60}
          empty="Nobody has said anything at this moment."
          follow={messages.length - 1}
          selected={messages.findIndex(({ id }) => id === wanted)}
          cells={(index) => cellsOf(messages[index], model)}
        />
      </div>
      {selected === undefined ? null : <MessageDetail message={selected} model={model} />}
    </div>
  );
}

function concerns({ from, to = [], mentions }: Message, who: string): boolean {
  return from === who || to.includes(who) || mentions.includes(who);
}

function cellsOf(message: Message | undefined, model: RunModel): readonly JSX.Element[] {
  if (message === undefined) return [];
  const { id, from, text, timestamp } = message;
  return [
    <span key="time">{formatClock(Date.parse(timestamp))}</span>,
    <Person key="from" id={from} />,
    <a key="text" class="two-lines" href={model.linkTo({ message: id })}>
      <bdi>{toVisibleText(text.slice(0, MAX_CHARS))}</bdi>
    </a>,
    <Receipts key="to" receipts={receiptsOf(message, model.moment.value.state)} />,
  ];
}

const RECEIPT_LOOKS = {
  waiting: "pending",
  reading: "running",
  acked: "completed",
  dead: "failed",
  unknown: undefined,
} as const;

const RECEIPT_WORDS: { readonly [status in Receipt["status"]]: string } = {
  waiting: "waits in the inbox",
  reading: "being read",
  acked: "dealt with",
  dead: "given up",
  unknown: "a person",
};

function Receipts({ receipts }: { receipts: readonly Receipt[] }): JSX.Element {
  if (receipts.length === 0) return <span class="muted">everybody</span>;
  return (
    <span class="receipts">
      {receipts.map(({ name, status }) => {
        const look = RECEIPT_LOOKS[status];
        const word = RECEIPT_WORDS[status];
        return (
          <span key={name} class="chip" title={word}>
            {look === undefined ? null : <LookIcon look={look} label={word} />} @
            {toVisibleText(name)}
          </span>
        );
      })}
    </span>
  );
}

function MessageDetail({ message, model }: { message: Message; model: RunModel }): JSX.Element {
  const { from, to, channel, text, seq, signals, timestamp } = message;
  return (
    <aside class="detail" aria-label="Message">
      <div class="detail-head">
        <h2>
          <Person id={from} />
        </h2>
        <span class="muted">{formatClock(Date.parse(timestamp))}</span>
        <a class="close" href={model.linkTo({ message: undefined })} aria-label="Close">
          ×
        </a>
      </div>
      <p class="facts">
        <span>{to === undefined ? `in ${toVisibleText(channel ?? "")}` : "direct"}</span>
        {signals.length === 0 ? null : <span>signals {toVisibleText(signals.join(", "))}</span>}
        <a href={model.linkTo({ at: seq })}>Go to this moment</a>
      </p>
      <Receipts receipts={receiptsOf(message, model.moment.value.state)} />
      <Prose text={text} />
    </aside>
  );
}
