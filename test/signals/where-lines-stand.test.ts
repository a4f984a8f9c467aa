import { describe, expect, test } from "vitest";
import { readSignals } from "../../src/signals/read-signals.ts";

function kindsOf(given: string): readonly string[] {
  return readSignals(given).signals.map(({ kind }) => kind);
}

describe("a fence", () => {
  test.each([
    ["behind a star", "* ```\nDONE: x"],
    ["behind a plus", "+ ```\nDONE: x"],
    ["behind a dash and a tab", "-\t```\nDONE: x"],
    ["behind a number with a bracket", "12) ```\nDONE: x"],
    ["behind a number in a later line", "a long line\n12345. ```\nDONE: x"],
    ["of tildes with a backtick behind it", "~~~ a`b\nDONE: x"],
    ["that is closed by fewer marks further in", "```\nx\n   ``\nDONE: x"],
    ["behind a number of nine digits", "123456789. ~~~\nDONE: x"],
    ["behind two markers", "- 1. ```\nDONE: x"],
    ["with words behind it", "```js title\nDONE: x"],
    ["of tildes with tildes behind it", "~~~ a~b\nDONE: x"],
    ["that is closed by fewer marks", "````\nx\n```\nDONE: x"],
    ["that is closed by other marks", "```\nx\n~~~\nDONE: x"],
    ["that is closed with words", "```\nx\n``` y\nDONE: x"],
    ["that is closed four blanks in", "```\nx\n    ```\nDONE: x"],
    ["that is closed behind a tab", "```\nx\n\t```\nDONE: x"],
    ["with an empty line in it", "```\n\nDONE: x\n```"],
  ])("%s holds what comes after it [SIG-3]", (_how, given) => {
    expect(kindsOf(given)).toEqual([]);
  });

  test.each([
    ["two marks", "``\nDONE: x"],
    ["a dash right before it", "-```\nDONE: x"],
    ["a number right before it", "1```\nDONE: x"],
    ["a number of ten digits", "1234567890. ```\nDONE: x"],
    ["a number without its mark", "1 ```\nDONE: x"],
    ["a word before it", "a ```\nDONE: x"],
    ["backticks behind it", "``` a `\nDONE: x"],
    ["marks of both kinds", "``~\nDONE: x"],
    ["dashes, as a rule has them", "---\nDONE: x"],
    ["stars, as a rule has them", "***\nDONE: x"],
    ["digits", "111\nDONE: x"],
    ["a dot without a number before it", "- . ```\nDONE: x"],
    ["a number and a letter before it", "1x ```\nDONE: x"],
    ["a number that a letter ends before it", "1a. ```\nDONE: x"],
  ])("is none with %s [SIG-3]", (_what, given) => {
    expect(kindsOf(given)).toEqual(["done"]);
  });

  test.each([
    ["with more marks", "```\nACK: x\n`````\nDONE: y"],
    ["with blanks behind them", "```\nACK: x\n``` \t\nDONE: y"],
    ["three blanks in", "```\nACK: x\n   ```\nDONE: y"],
    ["as far in as it was opened", "- - ```\n    ACK: x\n    ```\nDONE: y"],
    ["as far in as it was opened behind a tab", "\t```\nACK: x\n\t```\nDONE: y"],
    ["behind a number", "10. ~~~\n    ACK: x\n    ~~~\nDONE: y"],
  ])("is closed %s [SIG-3]", (_how, given) => {
    expect(kindsOf(given)).toEqual(["done"]);
  });
});

describe("a quote", () => {
  test("ends with its line", () => {
    expect(kindsOf("> a\nDONE: x")).toEqual(["done"]);
    expect(kindsOf("> a\r\nDONE: x")).toEqual(["done"]);
    expect(kindsOf("> a\n\nDONE: x")).toEqual(["done"]);
  });

  test("goes on behind returns that a terminal obeys, up to the next line", () => {
    expect(kindsOf("> a\rDONE: x\rDONE: y")).toEqual([]);
    expect(kindsOf("> a\rDONE: x\nACK: y")).toEqual(["ack"]);
    expect(kindsOf("a\rDONE: x")).toEqual(["done"]);
    expect(kindsOf("a\r\rDONE: x")).toEqual(["done"]);
    expect(kindsOf("\rDONE: x")).toEqual(["done"]);
  });

  test("begins at most three blanks in, and in no fence", () => {
    expect(kindsOf("   > a\rDONE: x")).toEqual([]);
    expect(kindsOf("    > a\rDONE: x")).toEqual(["done"]);
    expect(kindsOf("```\n> a\n```\nDONE: x")).toEqual(["done"]);
    expect(kindsOf("> ```\nDONE: x")).toEqual(["done"]);
  });

  test("may stand behind a byte order mark, which counts at the very start alone", () => {
    expect(kindsOf("\uFEFF> a\rDONE: x")).toEqual([]);
    expect(kindsOf("\uFEFF   DONE: x")).toEqual(["done"]);
    expect(kindsOf("a\n\uFEFFDONE: x")).toEqual([]);
  });
});

describe("markup of HTML", () => {
  test.each([
    ["a comment that is closed in its line", "<!-- a --> b\nDONE: x", ["done"]],
    ["a tag that is closed in its line", "a <code>b</code> c\nDONE: x", ["done"]],
    ["two comments of one line", "<!-- a --><!-- b -->\nDONE: x", ["done"]],
    ["a second comment that goes on", "a <!-- b --> <!--\nACK: x\n-->\nDONE: y", ["done"]],
    [
      "what follows the end of a comment in its line",
      "<!--\n--> <pre>\nACK: x\n</pre>\nDONE: y",
      ["done"],
    ],
    ["a tag in a comment", "<!-- <pre> -->\nDONE: x", ["done"]],
    ["a comment in a tag", "<pre>\n<!--\n</pre>\nDONE: x", ["done"]],
    ["an open tag three blanks in", "   <pre>\nDONE: x", []],
    ["an open tag four blanks in", "    <pre>\nDONE: x", ["done"]],
    ["an open tag behind a word", "a <pre>\nDONE: x", ["done"]],
    ["a longer name", "<prex>\nDONE: x", ["done"]],
    ["a tag with a slash", "<pre/>\nDONE: x", []],
    ["a tag at the end of the line", "<pre\nDONE: x", []],
    ["a closing tag of another name", "<pre>\n</code>\nDONE: x", []],
    ["a closing tag of a longer name", "<pre>\n</prex>\nDONE: x", []],
    ["a closing tag alone", "</pre>\nDONE: x", ["done"]],
    ["a comment that overlaps its own end", "<!-->\nDONE: x\n-->\nACK: y", ["done", "ack"]],
    ["a section that is closed", "<![CDATA[\nACK: x\n]]>\nDONE: y", ["done"]],
    ["an instruction that is closed", "<?php\nACK: x\n?>\nDONE: y", ["done"]],
    ["an instruction right behind the end of one", "a ?><?x\nDONE: x\n?>", []],
    ["a tag in the last line of a comment", "<!--\n<pre> -->\nDONE: x", ["done"]],
    ["a comment in a fence", "a\n```\n<!--\n```\nDONE: x\n-->", ["done"]],
    ["a tag in a quote", "> <pre>\nDONE: x", ["done"]],
    ["a fence in a tag", "<pre>\n```\n</pre>\nDONE: x", ["done"]],
    [
      "noscript, template, xmp and samp",
      "<noscript>\nDONE: x\n</noscript><xmp>\nDONE: y\n</xmp>\n<samp>\nDONE: z\n</samp>\n<template>\nDONE: z",
      [],
    ],
  ])("%s [SIG-3]", (_what, given, kinds) => {
    expect(kindsOf(given)).toEqual(kinds);
  });
});
