import { expect, test } from "vitest";
import { shellVariables } from "../../src/workflows/checks/check-environment.ts";
import { processorMs } from "../testing/processor-time.ts";

test.each([
  ['echo $A ${B} ${C:-x} "$D" $(echo $E)', ["A", "B", "C", "D", "E"]],
  ["echo '$A' \\$B $1 $? $$ $@ $#", []],
  ["A=1; export B=2; for c in x; do echo $A $B $c; done; read d; echo $d", []],
  ["A=$A env", []],
  ["echo ${#LONG} $PWD $RANDOM {{input}} ${{ env.KEY }}", ["LONG"]],
])("the variables of the environment that %j uses are %j [USE-9.withheld]", (text, names) => {
  expect(shellVariables(text)).toEqual(names);
});

test.each(["read -", "read -a -a -a -a ", "'", "$", "${", "export ", "for ", "A=$A;", "\\"])(
  "a command that is full of %j is read in linear time",
  (text) => {
    expect(processorMs(500, () => shellVariables(text.repeat(50_000)))).toBeLessThan(500);
  },
);
