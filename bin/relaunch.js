"use strict";
// Runs the same command line in another Node and behaves as that process does.

var childProcess = require("child_process");
var tty = require("tty");

exports.relaunch = function relaunch(node, commandLine) {
  // The pipe tells the child of our death, SIGKILL included: a process that nobody sees must not go on.
  var child = childProcess.spawn(node, commandLine, {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: Object.assign({}, process.env, { TROUPE_LAUNCHER_FD: "3" }),
  });
  var forwarders = forwardSignals(child);
  child.on("error", function (error) {
    process.stderr.write("troupe could not start " + node + ": " + error.message + "\n");
    process.exitCode = 70;
  });
  child.on("exit", function (code, signal) {
    if (signal === null) return process.exit(code);
    Object.keys(forwarders).forEach(function (name) {
      process.removeListener(name, forwarders[name]);
    });
    process.kill(process.pid, signal);
  });
};

// A terminal sends SIGINT to parent and child alike: passed on as well, the child would see a second one.
function forwardSignals(child) {
  var hasTerminal = tty.isatty(0) || tty.isatty(1) || tty.isatty(2);
  var forwarders = {};
  ["SIGTERM", "SIGHUP", "SIGINT"].forEach(function (name) {
    forwarders[name] = function () {
      if (name !== "SIGINT" || !hasTerminal) child.kill(name);
    };
    process.on(name, forwarders[name]);
  });
  return forwarders;
}
