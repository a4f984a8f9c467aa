import { expect, test } from "vitest";
import { shellVariables } from "../../src/programs/language/shell/shell-variables.ts";

test.each([
  ['echo $A ${B} ${C:-x} "$D" $(echo $E)', ["A", "B", "C", "D", "E"]],
  ["echo '$A' \\$B $1 $? $$ $@ $#", []],
  ["A=1; export B=2; for c in x; do echo $A $B $c; done; read d; echo $d", []],
  ["A=$A env", []],
  ["echo ${#LONG} $PWD $RANDOM {{input}} ${{ env.KEY }}", ["LONG"]],
])("the variables of the environment that %j uses are %j [USE-9.withheld]", (text, names) => {
  expect(shellVariables(text)).toEqual(names);
});
