const WRAPPERS: ReadonlySet<string> = new Set([
  ...["builtin", "command", "doas", "env", "exec", "find", "nice", "nohup", "parallel", "setsid"],
  ...["stdbuf", "sudo", "time", "timeout", "watch", "xargs", "then", "do", "else", "!", "$"],
  ...["bash", "dash", "eval", "ksh", "sh", "zsh"],
]);
/** Words of a wrapped command that are tried as its beginning. */
const MAX_WRAPPED_WORDS = 16;

/**
 * All that a deny rule may fit in a command: the whole, its parts as a shell would take it apart, each also
 * without quotes, without the directory of its program and without what only wraps it.
 */
export function commandSpellings(words: readonly string[]): readonly string[] {
  const whole = words.join(" ").trim();
  // An element of a list may be a script of its own: ["bash", "-c", "rm -rf x"].
  const parts = [whole, ...words].flatMap((text) => [text, ...text.split(/[;&|\n\r`(){}]+/)]);
  const spellings = parts.flatMap((part) => {
    const plain = part
      .replaceAll(/\$\{?IFS\}?/g, " ")
      .replaceAll(/["'\\]/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    return [part.trim(), plain, ...wrappedCommands(plain)];
  });
  return [...new Set(spellings)];
}

/** What a command runs in the end: it, or whatever may begin behind a word that runs another command. */
function wrappedCommands(plain: string): readonly string[] {
  const words = plain.split(" ");
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const command = first === -1 ? words : words.slice(first);
  if (!WRAPPERS.has(programOf(command[0] ?? ""))) return [bare(command)];
  // `sudo -u root rm x`, `timeout 5 rm x`: which words belong to the wrapper is not known.
  const count = Math.min(command.length, MAX_WRAPPED_WORDS);
  return Array.from({ length: count }, (_, index) => bare(command.slice(index)));
}

function bare([program = "", ...rest]: readonly string[]): string {
  return [programOf(program), ...rest].join(" ");
}

function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
