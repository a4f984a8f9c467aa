"use strict";
// The entry of the bundled command: `main.cjs` beside `parts.js`, which holds every part of it as a function.
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

const compiledFile = findCompiledFile(process.argv[2]);
const script = loadScript(path.join(__dirname, "parts.js"), compiledFile);
const parts = script.runInThisContext()();
const modules = new Map();

exports.finished = requirePart("./main.cjs").finished;

/** Where the compiled code of a command is kept; undefined where no code is kept. */
function findCompiledFile(command = "") {
  // Its name is read from the command line: nothing else may become part of a path.
  const name = /^[a-z]{1,20}$/.test(command) ? command : "none";
  const directory = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : getCompileCacheDir();
  return directory && path.join(directory, `parts-${BUNDLE_HASH}-${name}.bin`);
}

function loadScript(filename, compiled) {
  // All of its characters have one byte, so that none has to be decoded.
  const source = fs.readFileSync(filename, "latin1");
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
  const part = parts[id];
  if (part === undefined) return require(id);
  const module_ = { exports: {} };
  modules.set(id, module_);
  const filename = path.join(__dirname, id);
  part.call(module_.exports, module_.exports, requirePart, module_, filename, __dirname);
  return module_.exports;
}
