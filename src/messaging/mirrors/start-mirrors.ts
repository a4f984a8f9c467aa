import type { ContextFiles } from "../../contracts/context-files.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { messagesAt } from "../../fold/state/message-source.ts";
import { readDocument } from "../edit-document.ts";
import { ChannelMirror } from "./channel-mirror.ts";
import { DocumentMirrors } from "./document-mirrors.ts";
import { MirrorDirectory } from "./mirror-directory.ts";
import { MirrorKeeper } from "./mirror-keeper.ts";
import { MirrorLedger } from "./mirror-ledger.ts";

export interface MirrorsOptions {
  readonly runtime: RunRuntime;
  readonly files: ContextFiles;
  /** The channel that is shown. */
  readonly mainChannel: string;
}

/**
 * Shows a run's channel and documents in files (MSG-7). The files are views of what is durable: they are
 * written behind the journal, checked against it when a run is taken up again, and complete when its owner
 * lets go of it. What people write into the file of a document becomes a revision by `user`. Call it before
 * the run starts.
 */
export function startMirrors(options: MirrorsOptions): void {
  const { runtime, files } = options;
  const directory = new MirrorDirectory(files.directory, files.root);
  const ledger = new MirrorLedger(directory, runtime.run);
  const warn = createWarning(runtime);
  const channel = files.channelFile === undefined ? undefined : channelOf(options, directory, warn);
  const documents = new DocumentMirrors({ runtime, directory, ledger, files, warn });
  const keeper = new MirrorKeeper({
    directory,
    ledger,
    channel,
    documents,
    clock: runtime.timers,
    claim: () => claimDirectory(options, directory, ledger),
    warn,
    onFatal: (error) => runtime.fail(error),
  });
  runtime.onLive(() => keeper.open());
  followRun(options, { channel, documents, keeper });
  runtime.onStopped(async () => {
    // What is not recorded may be another owner's by now; the next one puts the files right.
    try {
      if (await isRecorded(runtime)) {
        keeper.lookLast();
        if (await isRecorded(runtime)) await keeper.flush();
      }
    } finally {
      keeper.close();
    }
  });
}

interface MirrorParts {
  readonly channel: ChannelMirror | undefined;
  readonly documents: DocumentMirrors;
  readonly keeper: MirrorKeeper;
}

/** Shows what was appended as soon as it is durable (I1). */
function followRun(
  { runtime, mainChannel }: MirrorsOptions,
  { channel, documents, keeper }: MirrorParts,
): void {
  runtime.onAppended((event) => {
    if (event.type === "message-posted" && event.to === undefined) {
      const count = placesOf(runtime, mainChannel).length;
      runtime.whenDurable(() => {
        channel?.durable(count);
        keeper.kick();
      });
    } else if (event.type === "document-changed") {
      const { name, revision, text } = readDocument(runtime.state, event.document);
      runtime.whenDurable(() => {
        documents.durable(name, { revision, text });
        keeper.kick();
      });
    }
  });
}

function channelOf(
  { runtime, files, mainChannel }: MirrorsOptions,
  directory: MirrorDirectory,
  warn: (text: string) => void,
): ChannelMirror {
  const { channelFile: file = "" } = files;
  return new ChannelMirror({
    directory,
    file,
    count: () => placesOf(runtime, mainChannel).length,
    messages: (from, until) =>
      messagesAt(runtime, placesOf(runtime, mainChannel).slice(from, until)),
    textOf: ({ text, body }) => (body === undefined ? text : (runtime.textOf(body.ref) ?? text)),
    onChanged: () =>
      warn(`${file} was changed by hand; it only shows the channel, so it is written anew`),
  });
}

function placesOf({ state }: RunRuntime, channel: string): readonly number[] {
  return state.messages.byChannel.get(channel) ?? [];
}

/**
 * Takes the directory over from the run that used it before. The files of that run are kept under its name;
 * only its main document is what this run begins with, unless this run has one of its own already.
 */
function claimDirectory(
  { runtime, files }: MirrorsOptions,
  directory: MirrorDirectory,
  ledger: MirrorLedger,
): void {
  const before = ledger.load();
  if (before?.run === runtime.run) return;
  const { channelFile, documentFile } = files;
  const isBegun = readDocument(runtime.state).revision > 0;
  const further = before?.files.filter((file) => file !== documentFile) ?? [];
  const left = new Set([channelFile, ...(isBegun ? [documentFile] : []), ...further]);
  for (const file of left)
    if (file !== undefined && directory.has(file))
      directory.setAside(file, before?.run ?? runtime.run);
}

function createWarning(runtime: RunRuntime): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    told.add(text);
    const note = `mirrors#${told.size}@${runtime.state.lastSeq}`;
    runtime.append({ type: "log", note, level: "warning", text });
  };
}

async function isRecorded(runtime: RunRuntime): Promise<boolean> {
  return runtime.flushed().then(
    () => true,
    () => false,
  );
}
