import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/foundation/hash.ts";
import { ROOT_VARIABLE } from "./conformance/seen-processes.ts";
import { createLoneUser, type LoneUser } from "./lone-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// What shells of people who run agents hold; no key of a model that any of the clients could ask.
const SECRET_VARIABLES = [
  ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET"],
  ...["GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "BITBUCKET_APP_PASSWORD", "NPM_TOKEN"],
  ...["PYPI_API_TOKEN", "CARGO_REGISTRY_TOKEN", "DOCKER_PASSWORD", "HF_TOKEN", "DATABASE_URL"],
  ...["PGPASSWORD", "MYSQL_PWD", "REDIS_URL", "MONGODB_URI", "STRIPE_SECRET_KEY"],
  ...["SLACK_BOT_TOKEN", "SLACK_WEBHOOK_URL", "TWILIO_AUTH_TOKEN", "SENDGRID_API_KEY"],
  ...["SENTRY_DSN", "DATADOG_API_KEY", "CLOUDFLARE_API_TOKEN", "VAULT_TOKEN", "KUBECONFIG_DATA"],
  ...["SSH_KEY_PASSPHRASE", "MY_COMPANY_THING", "TROUPE_CONTEXT_TOKEN", "TROUPE_MADE_UP"],
];
const canaries = Object.fromEntries(
  SECRET_VARIABLES.map((name) => [name, `canary-${sha256(name).slice(0, 24)}`]),
);
const LEAKED = "GITHUB_TOKEN";
const KEY = "key-of-the-scripted-model";

/** The environment of its shell, and of every process of the agent that the system lets it look at. */
function lookingAround({ root }: LoneUser): string {
  const mark = `${ROOT_VARIABLE}=${root}`;
  const look = `if grep -qazF '${mark}' $file; then tr '\\0' '\\n' < $file; fi`;
  return `{ env; tr '\\0' '\\n' < /proc/self/environ; for file in /proc/[0-9]*/environ; do ${look}; done; } > seen.txt 2> /dev/null; cat seen.txt`;
}

const clients: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

test.for(clients)(
  "of 32 secrets in the environment of troupe, %s sees none, and none is written anywhere, in no encoding [AGT-11, SEC-1, T11, P23.files]",
  { timeout: 120_000 },
  async (client, context) => {
    const user = await createLoneUser(client, context);
    const task = scriptText(
      { calls: [{ shell: lookingAround(user) }] },
      { text: "DONE: it said $RESULT" },
    );
    const ended = await user.type(["run", "work.yaml", task, "--json"], canaries);
    expect(ended.exitCode).toBe(0);
    const seen = readFileSync(join(user.cwd, "seen.txt"), "utf8");
    expect(seen).toContain(`${ROOT_VARIABLE}=${user.root}`);
    const [token = ""] = /(?<=^TROUPE_CONTEXT_TOKEN=).+$/m.exec(seen) ?? [];
    expect(token).not.toBe("");
    const texts = Object.values(canaries).flatMap(encodings);
    expect(filesWith(user.root, texts)).toEqual([]);
    const asked = JSON.stringify(user.model.calls());
    expect(texts.filter((text) => `${ended.out}${ended.err}${asked}`.includes(text))).toEqual([]);
    // What the agent was given it can print; nobody keeps it.
    for (const secret of [KEY, token]) {
      expect(`${ended.out}${ended.err}`).not.toContain(secret);
      expect(filesOfRun(user, secret)).toEqual([]);
    }
  },
);

test("a secret of troupe's environment that an agent finds in a file is masked in its run [AGT-11, T11, P23.files]", async (context) => {
  const user = await createLoneUser("claude", context);
  const { [LEAKED]: secret = "" } = canaries;
  writeFileSync(join(user.cwd, "found.txt"), `${secret}\n`);
  const task = scriptText({ calls: [{ shell: "cat found.txt" }] }, { text: "DONE: it is there" });
  const { out } = await user.type(["run", "work.yaml", task, "--json"], canaries);
  expect(out).toContain('"result":"***"');
  expect(out).not.toContain(secret);
  expect(filesOfRun(user, secret)).toEqual([]);
});

/** A text as it is, in hexadecimal, and in base64 wherever in a longer text it stands. */
function encodings(text: string): readonly string[] {
  const shifted = ["", " ", "  "].map((before) =>
    // Its ends also depend on what stands beside it.
    Buffer.from(`${before}${text}`).toString("base64").slice(4, -4),
  );
  return [text, Buffer.from(text).toString("hex"), ...shifted];
}

/** Files that hold any of the texts, by their paths from the root. */
function filesWith(root: string, texts: readonly string[]): readonly string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const content = readFileSync(file);
      return texts.some((text) => content.includes(text));
    });
}

/** What Troupe itself writes of a run: all but the agents' own directories. */
function filesOfRun({ cwd }: LoneUser, text: string): readonly string[] {
  const runs = join(cwd, ".troupe/runs");
  return filesWith(runs, [text]).filter((file) => !/\/runs\/[^/]+\/agents\//.test(file));
}
