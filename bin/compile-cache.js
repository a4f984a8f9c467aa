"use strict";
// Keeps compiled code between commands, so that a command starts in a fraction of the time. Only in a
// directory of this user that nobody else can write to: what lies in it is run.

var fs = require("fs");
var module_ = require("module");
var os = require("os");
var path = require("path");

exports.enableCompileCache = function enableCompileCache() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE) return;
  try {
    var directory = cacheDirectory();
    // HOME may be empty, and the directory that the user works in is no place for it.
    if (!path.isAbsolute(directory)) return;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (isOurs(directory)) module_.enableCompileCache(directory);
  } catch (_error) {
    // Without a place for it, everything works and starts more slowly.
  }
};

function cacheDirectory() {
  var home = process.env.TROUPE_HOME;
  if (home) return path.resolve(home, "cache", "compiled");
  var caches = process.env.XDG_CACHE_HOME;
  if (!caches || !path.isAbsolute(caches)) caches = path.join(os.homedir(), ".cache");
  return path.join(caches, "troupe", "compiled");
}

function isOurs(directory) {
  var info = fs.lstatSync(directory);
  return info.isDirectory() && info.uid === process.getuid() && (info.mode & 0o022) === 0;
}
