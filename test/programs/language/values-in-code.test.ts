import { describe, expect, test } from "vitest";
import { parseTemplate } from "../../../src/programs/language/templates/template.ts";
import {
  valuesInArgvCode,
  valuesInShellCode,
  withTaskVariable,
} from "../../../src/programs/language/templates/values-in-code.ts";
import { processorMs } from "../../testing/processor-time.ts";

const inShell = (text: string) =>
  valuesInShellCode(parseTemplate(text).parts).map(({ place, program }) => program ?? place);
const inArgv = (...argv: readonly string[]) =>
  valuesInArgvCode(argv.map((word) => withTaskVariable(parseTemplate(word).parts))).map(
    ({ program }) => program,
  );

describe("a value that another program would read as code is found", () => {
  test.each([
    ["sh -c 'echo {{x}}'", "sh"],
    ['bash -ec "echo {{x}}"', "bash"],
    ["sh -c {{x}}", "sh"],
    ['sh -c "{{x}}"', "sh"],
    ["sudo -u a env B=1 /bin/sh -c 'cd {{x}}; ls'", "sh"],
    ["find . -name a -exec sh -c 'cat {{x}}' ';'", "sh"],
    ["docker run img bash -lc 'run {{x}}'", "bash"],
    ["eval echo {{x}}", "eval"],
    ['trap "rm {{x}}" EXIT', "trap"],
    ["ssh -p 22 host ls {{x}}", "ssh"],
    ["watch -n 1 cat {{x}}", "watch"],
    ["su root -c 'ls {{x}}'", "su"],
    ['python3 -c "print({{x}})"', "python3"],
    ["node -e 'f({{x}})'", "node"],
    ["perl -ne 'print {{x}}' file", "perl"],
    ["awk '{ print {{x}} }' file", "awk"],
    ['sed "s/a/{{x}}/" file', "sed"],
    ["sed -e s/a/{{x}}/ file", "sed"],
    ["psql -c 'select {{x}}'", "psql"],
    ["env -S 'sh {{x}}'", "env"],
    ["a=$(sh -c 'echo {{x}}')", "sh"],
    ['echo "$(sh -c "echo {{x}}")"', "sh"],
    ["echo `sh -c 'echo {{x}}'`", "sh"],
    ["true && if true; then sh -c 'echo {{x}}'; fi", "sh"],
    ["echo \"a 'b {{x}}' c\"", "quotes"],
    ['curl -d \'{"a": "{{x}}"}\' host', "quotes"],
    ['curl -d "{\\"a\\": \\"{{x}}\\"}" host', "quotes"],
    ["echo {{x}} | sh", "sh"],
    ["printf %s {{x}} | tee log | sudo bash -e", "bash"],
    ["{ echo a; echo {{x}}; } | sh -s", "sh"],
    ["for a in 1 2; do echo {{x}}; done | dash", "dash"],
    ["echo {{x}} |& python3 -", "python3"],
    ["echo {{x}} | ssh host", "ssh"],
    ["echo {{x}} | xargs -I% sh -c 'ls %'", "xargs"],
    ["echo {{x}} | . /dev/stdin", "."],
    ["sh <<< {{x}}", "sh"],
    ['X={{x}}; sh -c "echo $X"', "sh"],
    ['export X="a {{x}}"; Y=$X; eval "$Y"', "eval"],
    ['X=$(cat {{x}}); bash -c "ls ${X}"', "bash"],
    ["X={{x}}; echo $X | sh", "sh"],
    ['for X in {{x}}; do sh -c "ls $X"; done', "sh"],
    ["echo $(( {{x}} + 1 ))", "arithmetic"],
    ["X={{x}}; echo $((X))", "arithmetic"],
    ["if (( {{x}} > 1 )); then ls; fi", "arithmetic"],
    ["echo $[{{x}}]", "arithmetic"],
    ["echo ${a[{{x}}]}", "arithmetic"],
    ["[[ {{x}} -eq 1 ]] && ls", "[["],
    ["[[ -n a && 1 -lt {{x}} ]]", "[["],
    ["test -v {{x}}", "test"],
    ["[ -v {{x}} ]", "["],
    ["read -r {{x}} < a", "read"],
    ["printf -v {{x}} a", "printf"],
    ["unset {{x}}", "unset"],
    ["declare {{x}}=1", "declare"],
    ["declare -i a={{x}}", "declare"],
    ["let a={{x}}", "let"],
    ["cat <<EOF\n{{x}}\nEOF", "here-document"],
    ["cat <<'EOF' | wc\na {{x}}\nEOF\necho", "here-document"],
    ["cat <<-E\n\ta {{x}}\n\tE\necho", "here-document"],
  ])("%s", (text, place) => {
    expect(inShell(text)).toEqual([place]);
  });

  test.each([
    [["sh", "-c", "echo {{x}}"], "sh"],
    [["sh", "-c", "echo {task}"], "sh"],
    [["python3", "-c", "print('{{x}}')"], "python3"],
    [["timeout", "5", "sh", "-c", "cat {{x}}"], "sh"],
  ])("%j", (argv, program) => {
    expect(inArgv(...argv)).toEqual([program]);
  });
});

describe("a value that stays one is none of these", () => {
  test.each([
    "printf %s {{x}}",
    "echo {{x}} | cat | grep -c a",
    "echo {{x}} || sh",
    "echo {{x}} | sh check.sh",
    "echo {{x}} | python3 check.py",
    "echo {{x}} | xargs sh -c 'ls \"$1\"' sh",
    "echo {{x}}; ls | sh",
    "X={{x}} sh -c 'echo \"$X\"'",
    'export X={{x}}; sh check.sh "$X"',
    "[ {{x}} -eq 1 ]",
    "test {{x}} = a",
    "read -p {{x}} name",
    "echo read {{x}}",
    "echo $((1 + 2)) {{x}}",
    "export A={{x}}",
    `printf %s "$(printf %s '{{x}}')"`,
    "printf %s \\'{{x}}\\'",
    "printf %s `printf %s '{{x}}'`",
    'echo "PR {{x}} is ready"',
    "echo 'PR {{x}} is ready'",
    'echo "it\'s {{x}}"',
    "sh -c 'echo \"$1\"' sh {{x}}",
    "sh check.sh {{x}}",
    "grep -e {{x}} file",
    "git log --format='%s' {{x}}",
    'a="$(cat {{x}})"',
    "cat <<< {{x}}",
    "cat <<EOF\nplain\nEOF\nprintf %s {{x}}",
    "echo '<<EOF'\necho {{x}}",
    "python3 check.py {{x}}",
    "echo $((1 << 2)) {{x}}",
    "curl -d @- host <<< {{x}}",
  ])("%s", (text) => {
    expect(inShell(text)).toEqual([]);
  });

  test.each([
    [["sh", "-c", "{{x}}"]],
    [["sh", "-c", 'echo "$1"', "sh", "a {{x}}"]],
    [["grep", "-e", "a{task}"]],
  ])("%j", (argv) => {
    expect(inArgv(...argv)).toEqual([]);
  });
});

test("what nobody writes is looked at in bounded time", () => {
  const text = `${"$(".repeat(20_000)}sh -c 'echo {{x}}'${"<<E\n".repeat(20_000)}`;
  const look = () => {
    inShell(text);
    inShell(`${"`".repeat(40_000)}{{x}}`);
    inShell(`${'"'.repeat(39_999)}{{x}}`);
  };
  expect(processorMs(5000, look)).toBeLessThan(5000);
});
