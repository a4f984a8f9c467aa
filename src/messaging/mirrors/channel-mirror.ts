import type { FileHandle } from "node:fs/promises";
import type { Message } from "../../contracts/message.ts";
import { renderEntry } from "./entry-text.ts";
import { endOf, type FileEnd, type MirrorDirectory } from "./mirror-directory.ts";

// Owns the file of a channel: one entry per durable message, in order, and nothing else.
// C1: a message costs one write of its own entry, however long the channel is.
// C2: a file that is not as it was left is written anew from the messages.

export interface ChannelMirrorOptions {
  readonly directory: MirrorDirectory;
  readonly file: string;
  /** All messages of the channel; only the first `durable` ones are looked at. */
  readonly messages: () => readonly Message[];
  /** The whole text of a message. */
  readonly textOf: (message: Message) => string;
  /** Tells people that the file was not as it was left. */
  readonly onChanged: () => void;
}

const CHUNK_CHARS = 65_536;

/** The file of one channel. */
export class ChannelMirror {
  readonly file: string;
  readonly #options: ChannelMirrorOptions;
  #durable: number;
  #written = 0;
  #end: FileEnd | undefined;

  constructor(options: ChannelMirrorOptions) {
    this.#options = options;
    this.file = options.file;
    this.#durable = options.messages().length;
  }

  /** From here on so many messages may be shown. */
  durable(count: number): void {
    this.#durable = Math.max(this.#durable, count);
  }

  /** Makes the file show all that may be shown. Calls must not overlap. */
  async sync(): Promise<void> {
    this.#end ??= await this.#adopt();
    while (this.#end === undefined || this.#written < this.#durable) {
      if (this.#end === undefined) await this.#rewrite();
      else await this.#append(this.#end);
    }
  }

  async #append(before: FileEnd): Promise<void> {
    const { directory, file, onChanged } = this.#options;
    const until = this.#durable;
    // Not known again before all is written: what fails half-way is written anew.
    this.#end = undefined;
    let end = before;
    for (const text of this.#texts(this.#written, until)) {
      const after = await directory.append(file, text, end);
      if (after === undefined) return onChanged();
      end = after;
    }
    this.#written = until;
    this.#end = end;
  }

  async #rewrite(): Promise<void> {
    const { directory, file } = this.#options;
    const until = this.#durable;
    this.#end = await directory.replace(file, this.#texts(0, until));
    this.#written = until;
  }

  /** The end of the file that the last owner left, if it shows exactly the messages. */
  async #adopt(): Promise<FileEnd | undefined> {
    const { directory, file: name } = this.#options;
    if (directory.look(name) === undefined) return undefined;
    const until = this.#durable;
    const file = await directory.open(name);
    try {
      const end = await endOf(file);
      if (!(await this.#isSame(file, { end, until }))) return undefined;
      this.#written = until;
      return end;
    } finally {
      await file.close();
    }
  }

  async #isSame(
    file: FileHandle,
    { end, until }: { readonly end: FileEnd; readonly until: number },
  ): Promise<boolean> {
    let position = 0;
    for (const text of this.#texts(0, until)) {
      const wanted = Buffer.from(text);
      const found = Buffer.alloc(wanted.length);
      const { bytesRead } = await file.read(found, 0, found.length, position);
      if (bytesRead !== wanted.length || !wanted.equals(found)) return false;
      position += bytesRead;
    }
    return BigInt(position) === end.sizeBytes;
  }

  /** The entries of a stretch of messages, joined to texts of some length. */
  *#texts(from: number, until: number): Generator<string> {
    const { messages, textOf } = this.#options;
    const all = messages();
    let joined = "";
    for (let index = from; index < until; index += 1) {
      const message = all[index];
      if (message === undefined) break;
      joined += renderEntry({ ...message, text: textOf(message) }, index === 0);
      if (joined.length < CHUNK_CHARS) continue;
      yield joined;
      joined = "";
    }
    if (joined !== "") yield joined;
  }
}
