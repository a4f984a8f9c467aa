"use strict";
// The entry of the bundled command: `main.cjs` beside `parts.js`, which holds most parts of it as functions, and `more.js` with
// large ones that few commands call for.
// Node compiles functions one by one as they are called, in every process anew, which is half of the time that
// a short command takes. So what a command has compiled is kept when it is over, and the next one starts with it.

const fs = require("node:fs");
const { getCompileCacheDir } = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

// Replaced when the bundle is written.
const BUNDLE_HASH = "__BUNDLE_HASH__";
const USAGE_ERROR = 2;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

// Opened at once: whoever installs another version meanwhile takes nothing away from this process.
const more = fs.openSync(path.join(__dirname, "more.js"));
// All characters of both files have one byte, so that none has to be decoded.
const source = fs.readFileSync(path.join(__dirname, "parts.js"), "latin1");
const parts = runScript(source, "parts.js", commandName(process.argv[2]))();
const modules = new Map();

exports.finished = requirePart("./main.cjs").finished;

/** The name under which the code of a command is kept. It is read from the command line: nothing else may become part of a path. */
function commandName(given = "") {
  return /^[a-z]{1,20}$/.test(given) ? given : "none";
}

/** The value of a script, whose compiled code is kept under a name. */
function runScript(source, file, name) {
  const directory = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : getCompileCacheDir();
  const compiled = directory && path.join(directory, `parts-${BUNDLE_HASH}-${name}.bin`);
  return loadScript(source, path.join(__dirname, file), compiled).runInThisContext();
}

function loadScript(source, filename, compiled) {
  const cachedData = compiled && readIfThere(compiled);
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const loaded = new vm.Script(source, { filename, cachedData, importModuleDynamically });
  const isFresh = cachedData === undefined || loaded.cachedDataRejected === true;
  if (compiled && isFresh) process.once("exit", (code) => keep(loaded, compiled, code));
  return loaded;
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(loaded, compiled, exitCode) {
  // Words that are no commands would each leave a file.
  if (exitCode === USAGE_ERROR) return;
  try {
    const unfinished = `${compiled}.${process.pid}`;
    // V8 checks the length and version of compiled code, not its content: it must be whole after a power cut too.
    const options = { mode: 0o600, flag: "wx", flush: true };
    fs.writeFileSync(unfinished, loaded.createCachedData(), options);
    fs.renameSync(unfinished, compiled);
    removeOld(path.dirname(compiled));
  } catch {
    // Without a place for it, everything works and starts more slowly.
  }
}

/** Code of other bundles: nobody else would ever remove it. */
function removeOld(directory) {
  for (const name of fs.readdirSync(directory)) {
    if (!name.startsWith("parts-") || name.startsWith(`parts-${BUNDLE_HASH}-`)) continue;
    const file = path.join(directory, name);
    if (Date.now() - fs.statSync(file).mtimeMs > KEPT_MS) fs.rmSync(file, { force: true });
  }
}

function requirePart(id) {
  const known = modules.get(id);
  if (known !== undefined) return known.exports;
  const found = parts[id];
  if (found === undefined) return require(id);
  const part =
    typeof found === "function" ? found : runScript(readMore(found), id, path.basename(id, ".cjs"));
  const module_ = { exports: {} };
  modules.set(id, module_);
  const filename = path.join(__dirname, id);
  part.call(module_.exports, module_.exports, requirePart, module_, filename, __dirname);
  return module_.exports;
}

function readMore([start, end]) {
  const bytes = Buffer.alloc(end - start);
  fs.readSync(more, bytes, 0, bytes.length, start);
  return bytes.toString("latin1");
}
