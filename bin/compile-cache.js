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
    // Whoever may write to a directory above puts another one in its place.
    var above = [path.dirname(path.dirname(directory)), path.dirname(directory)];
    if (!above.every(isAbsentOrOurs)) return;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (above.concat(directory).every(isOurs)) module_.enableCompileCache(directory);
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
  // A link to a directory of one's own is one's own.
  var info = fs.statSync(directory);
  // With a umask of 002 every user has a group of her own, with her number.
  var isPrivateGroup = info.gid === info.uid && info.gid === process.getgid();
  var others = isPrivateGroup ? 0o002 : 0o022;
  return info.isDirectory() && info.uid === process.getuid() && (info.mode & others) === 0;
}

function isAbsentOrOurs(directory) {
  return !fs.existsSync(directory) || isOurs(directory);
}
