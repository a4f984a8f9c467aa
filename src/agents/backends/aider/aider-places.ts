import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionRequest } from "../../../contracts/backend.ts";
import { makeDirectory } from "../../../foundation/make-directory.ts";
import { textSetting } from "../parts/agent-program.ts";
import { sessionUnknown } from "../parts/errors.ts";

/** The private files of one session. */
export interface AiderPlaces {
  /** Names the conversation for a later process. Absent where nothing stays. */
  readonly resume?: string;
  /** Stands in for the home of the user where a key is in the environment. */
  readonly home: string;
  /** The conversation, as aider writes and reads it. */
  readonly history: string;
  /** What the role of the agent says. */
  readonly role: string;
  /** The prompt of the turn that runs. */
  readonly prompt: string;
  /** Removes what does not stay with the run. */
  dispose(): Promise<void>;
}

const TOKEN_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes the places of a session, or finds those of an earlier one. Raises BACKEND_SESSION_UNKNOWN. */
export async function createPlaces(
  request: Pick<SessionRequest, "directory" | "resume" | "spec">,
): Promise<AiderPlaces> {
  const { directory, resume, spec } = request;
  const root =
    directory === undefined ? await mkdtemp(join(tmpdir(), "troupe-")) : join(directory, "aider");
  const token = resume ?? randomUUID();
  const fileOf = (kind: string) => join(root, `${token}.${kind}`);
  if (resume !== undefined && !(TOKEN_PATTERN.test(resume) && existsSync(fileOf("history.md"))))
    throw sessionUnknown({ agent: spec.id, resume });
  const [home, role] = [join(root, "home"), fileOf("role.md")];
  makeDirectory(home, 0o700);
  // There from the beginning: a session can be resumed whose first turn was cut off.
  await writeFile(fileOf("history.md"), "", { mode: 0o600, flag: "a" });
  await writeFile(role, textSetting(spec, "systemPrompt") ?? "", { mode: 0o600 });
  return {
    home,
    role,
    ...(directory === undefined ? {} : { resume: token }),
    history: fileOf("history.md"),
    prompt: fileOf("prompt.md"),
    dispose: async () => {
      if (directory === undefined) await rm(root, { recursive: true, force: true });
      else await rm(fileOf("prompt.md"), { force: true });
    },
  };
}
