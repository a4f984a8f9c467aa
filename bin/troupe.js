#!/usr/bin/env node
"use strict";
// Read by any Node, old ones too: no syntax newer than ES5 here. It starts Troupe in this Node if that
// is new enough, else in a newer one that it finds.

var fs = require("fs");
var path = require("path");

var packageDirectory = path.dirname(path.dirname(fs.realpathSync(__filename)));
var commandLine = process.argv.slice(2);

if (commandLine.length === 1 && commandLine[0] === "--version") {
  tellVersion();
} else if (isNewEnough(process.version)) {
  require("./start.js").start(packageDirectory);
} else {
  var newer = findNewerNode();
  if (newer === undefined) giveUp();
  else require("./relaunch.js").relaunch(newer, [process.argv[1]].concat(commandLine));
}

function tellVersion() {
  try {
    fs.writeSync(1, readVersion() + "\n");
  } catch (error) {
    if (error.code === "EPIPE") return;
    process.stderr.write("standard output cannot be written: " + error.code + "\n");
    process.exitCode = 1;
  }
}

function readVersion() {
  return JSON.parse(fs.readFileSync(path.join(packageDirectory, "package.json"), "utf8")).version;
}

// 22.18 and 23.6 are the first of their lines that run TypeScript and have SQLite without a flag.
function isNewEnough(version) {
  var parts = /^v(\d+)\.(\d+)\./.exec(version);
  if (parts === null) return false;
  var major = Number(parts[1]);
  var minor = Number(parts[2]);
  if (major === 22) return minor >= 18;
  if (major === 23) return minor >= 6;
  return major > 23;
}

function findNewerNode() {
  var candidates = nodesOfThePackage().concat(nodesOnPath());
  for (var index = 0; index < candidates.length; index += 1) {
    if (isNewEnough(versionOf(candidates[index]))) return candidates[index];
  }
  return undefined;
}

function nodesOfThePackage() {
  var nodes = [];
  var directory = packageDirectory;
  for (;;) {
    nodes.push(path.join(directory, "node_modules", ".bin", "node"));
    var parent = path.dirname(directory);
    if (parent === directory) return nodes;
    directory = parent;
  }
}

// What lies in the current directory or in its node_modules is repository content: not run by itself.
function nodesOnPath() {
  var nodes = [];
  var directories = (process.env.PATH || "").split(path.delimiter);
  for (var index = 0; index < directories.length; index += 1) {
    var directory = directories[index];
    var isOfAPackage = /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(directory);
    if (path.isAbsolute(directory) && !isOfAPackage) nodes.push(path.join(directory, "node"));
  }
  return nodes;
}

function versionOf(node) {
  if (!fs.existsSync(node)) return "";
  var answer = require("child_process").spawnSync(node, ["--version"], {
    encoding: "utf8",
    timeout: 5000,
  });
  return answer.error ? "" : answer.stdout;
}

function giveUp() {
  process.stderr.write(
    "troupe needs Node 22.18 or newer; this is Node " +
      process.version.slice(1) +
      ", and neither node_modules/.bin nor PATH has a newer one.\n" +
      "  in a checkout on Linux: npm ci brings one\n" +
      "  elsewhere: install Node 24 from https://nodejs.org\n"
  );
  process.exitCode = 70;
}
