"use strict";
// Starts Troupe in this Node, which is new enough.

var fs = require("fs");
var path = require("path");

exports.start = function start(packageDirectory) {
  require("./compile-cache.js").enableCompileCache();
  hideExperimentalWarnings();
  dieWithLauncher();
  load(packageDirectory).catch(function (error) {
    process.stderr.write("troupe could not start: " + (error.stack || error) + "\n");
    process.exitCode = 70;
  });
};

// A checkout has src, the published package has not: a stale dist never wins.
async function load(packageDirectory) {
  if (fs.existsSync(path.join(packageDirectory, "src", "main.ts")))
    return require("./checkout.js").startCheckout(packageDirectory);
  return require(path.join(packageDirectory, "dist", "command", "main.cjs")).finished;
}

// Node 22 says on stderr that SQLite and TypeScript are experimental; every other warning is printed.
function hideExperimentalWarnings() {
  var printers = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", function (warning) {
    if (warning.name === "ExperimentalWarning") return;
    printers.forEach(function (print) {
      print.call(process, warning);
    });
  });
}

function dieWithLauncher() {
  var descriptor = process.env.TROUPE_LAUNCHER_FD;
  if (descriptor === undefined) return;
  delete process.env.TROUPE_LAUNCHER_FD;
  var net = require("net");
  var pipe = new net.Socket({ fd: Number(descriptor), readable: true, writable: false });
  pipe.on("close", function () {
    process.kill(process.pid, "SIGKILL");
  });
  pipe.resume();
  pipe.unref();
}
