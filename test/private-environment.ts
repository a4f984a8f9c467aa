import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { clientsFolder } from "./clients/install-client.ts";

/** Variables that a suite takes over from the person who runs it: where programs are, and what is asked of the suite. */
const PASSED =
  /^(PATH|TMPDIR|TERM|SHELL|USER|LOGNAME|CI|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|VITEST.*|STRYKER.*|CRASH_SEED|CRASH_PROGRAMS)$/;
const CONTROLS = /^TROUPE_(MACHINE|PROPERTY_SEED|CASES|DOCS|MUTATED_BY|TEST_.*|TRIALS|SUITE_.*)$/;

/**
 * Gives this process, and every process that it starts from now on, a home of its own in the temporary directory, with
 * no settings in it, and an environment with nothing else of the person who runs the tests: no state of Troupe, no
 * configuration of git, no keys, one language, time zone and umask. The home is removed when the process ends.
 *
 * Each configuration of vitest calls it before anything else, so that workers and global set-up inherit it.
 */
export function enterPrivateEnvironment(): void {
  // Configurations that build on another one, and workers, are in it already.
  if (process.env["TROUPE_TEST_HOME"] !== undefined) return;
  const kept = {
    // Installed agent CLIs are kept from one run of the tests to the next: the one thing outside of the private home.
    TROUPE_TEST_CLIENTS: clientsFolder(),
    TROUPE_TEST_NPM_CONFIG: process.env["npm_config_userconfig"] ?? join(homedir(), ".npmrc"),
  };
  for (const name of Object.keys(process.env))
    if (!PASSED.test(name) && !CONTROLS.test(name)) delete process.env[name];
  process.umask(0o022);
  const home = mkdtempSync(join(tmpdir(), "troupe-test-home-"));
  for (const name of [".config", ".cache", ".local/share", ".local/state"])
    mkdirSync(join(home, name), { recursive: true });
  // Commits of tests have an author, and no program of the machine's configuration takes part.
  const git = join(home, ".gitconfig");
  writeFileSync(git, "[user]\n\tname = Test\n\temail = test@localhost\n");
  Object.assign(process.env, kept, {
    TROUPE_TEST_HOME: home,
    HOME: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    // What is typed is `troupe`, wherever the tests have it from.
    TROUPE_CALLED_AS: "troupe",
  });
  process.once("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
}
