/** Variables of a process; undefined members are absent. */
export interface EnvironmentSource {
  readonly [name: string]: string | undefined;
}

const ALLOWED = new Set([
  "PATH",
  "HOME",
  "LANG",
  "TERM",
  "TMPDIR",
  "USER",
  "LOGNAME",
  "SHELL",
  "TZ",
  "LANGUAGE",
  "CI",
]);
const PROXIES = new Set(
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
);
// Files through which a step of GitHub Actions decides what later steps run: an agent that wrote there would be no agent any more.
const GITHUB_COMMANDS = new Set(
  ["ENV", "PATH", "OUTPUT", "STATE", "STEP_SUMMARY"].map((name) => `GITHUB_${name}`),
);
// Up to the last @ before the path: a password that nobody has encoded may hold one.
const ADDRESS_PASSWORD = /(?<=:\/\/[^\s/:@]{0,200}:)[^\s/]{1,2000}(?=@)/g;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

/**
 * What an agent may see of the source: what is common and no secret (the variables of every login, proxies without a
 * user, `CI`, `GITHUB_*` but tokens and files of commands), those named in `allow`, and `extra`, which wins. Never what
 * another Troupe left in the source (TROUPE_*), whatever `allow` says (USE-9).
 */
export function allowedEnvironment(
  source: EnvironmentSource,
  allow: Iterable<string>,
  extra: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const names = new Set(allow);
  const env: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || name.startsWith("TROUPE_")) continue;
    if (isCommon(name, value) || names.has(name)) env[name] = value;
  }
  return { ...env, ...extra };
}

/** Whether a variable is one that everybody has or may know. */
function isCommon(name: string, value: string): boolean {
  if (ALLOWED.has(name) || name.startsWith("LC_")) return true;
  if (PROXIES.has(name)) return !value.includes("@");
  return name.startsWith("GITHUB_") && !GITHUB_COMMANDS.has(name) && !SECRET_NAME.test(name);
}

/** Names of the variables that programs do not get unless a file names them. */
export function withheldNames(
  source: EnvironmentSource,
  allow: readonly string[],
): readonly string[] {
  return Object.entries(source).flatMap(([name, value]) =>
    value === undefined ||
    name.startsWith("TROUPE_") ||
    isCommon(name, value) ||
    allow.includes(name)
      ? []
      : [name],
  );
}

/** All of the source but what another Troupe left there, and `extra`, which wins. */
export function wholeEnvironment(
  source: EnvironmentSource,
  extra: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const env = Object.entries(source).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith("TROUPE_"),
  );
  return { ...Object.fromEntries(env), ...extra };
}

/** A variable of the source by its name; undefined when it is not set, or is what another Troupe left there. */
export function namedVariable(source: EnvironmentSource, name: string): string | undefined {
  return name.startsWith("TROUPE_") || !Object.hasOwn(source, name) ? undefined : source[name];
}

/** Values to mask: of the variables whose name says so, of those named in `names`, and passwords in addresses. */
export function secretValues(
  source: EnvironmentSource,
  names: Iterable<string>,
): readonly string[] {
  const wanted = new Set(names);
  return Object.entries(source).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [...(SECRET_NAME.test(name) || wanted.has(name) ? [value] : []), ...passwordsIn(value)],
  );
}

/** Passwords of addresses such as `postgres://ann:password@host`, as they stand there and decoded. */
export function passwordsIn(text: string): readonly string[] {
  return [...text.matchAll(ADDRESS_PASSWORD)].flatMap(([password]) => {
    const decoded = decode(password);
    return decoded === password ? [password] : [password, decoded];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
