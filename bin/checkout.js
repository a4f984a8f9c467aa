"use strict";
// Starts Troupe from its sources. They are bundled as for the package whenever one of them has changed, so
// that a checkout starts as fast as the package does and what is tried in it is what will be published.

var fs = require("fs");
var path = require("path");
var url = require("url");

// Bundles of sources that are no longer there; a process that still runs one may load more of it.
var KEPT_MS = 24 * 60 * 60 * 1000;

exports.startCheckout = function startCheckout(checkout) {
  var bundles = path.join(checkout, "node_modules", ".cache", "troupe");
  var bundle;
  try {
    bundle = path.join(bundles, stampOf(path.join(checkout, "src")));
  } catch (_error) {
    return startSources(checkout);
  }
  if (fs.existsSync(path.join(bundle, "main.cjs"))) return startBundle(bundle);
  return makeBundle(checkout, bundle).then(
    function () {
      removeOld(bundles, bundle);
      return startBundle(bundle);
    },
    function () {
      // Somebody else may have made it at the same time.
      if (fs.existsSync(path.join(bundle, "main.cjs"))) return startBundle(bundle);
      // Without the tools of the checkout, or with a source that is no program: Node says what is wrong.
      return startSources(checkout);
    }
  );
};

function startBundle(bundle) {
  return require(path.join(bundle, "main.cjs")).finished;
}

function startSources(checkout) {
  return import(url.pathToFileURL(path.join(checkout, "src", "main.ts")).href).then(function (main) {
    return main.finished;
  });
}

function makeBundle(checkout, bundle) {
  var script = path.join(checkout, "scripts", "bundle-command.ts");
  return import(url.pathToFileURL(script).href).then(function (module_) {
    return module_.bundleCommand(checkout, bundle);
  });
}

// Changes with every source that is edited, added, removed or checked out.
function stampOf(directory) {
  var sum = { count: 0, changedMs: 0, sizeBytes: 0 };
  addFiles(directory, sum);
  return [sum.count, sum.changedMs, sum.sizeBytes].join("-");
}

// By hand: reading directories recursively takes Node three times as long.
function addFiles(directory, sum) {
  fs.readdirSync(directory, { withFileTypes: true }).forEach(function (entry) {
    var file = directory + path.sep + entry.name;
    if (entry.isDirectory()) return addFiles(file, sum);
    var info = fs.statSync(file);
    sum.count += 1;
    sum.changedMs += info.mtimeMs;
    sum.sizeBytes += info.size;
  });
}

function removeOld(bundles, current) {
  fs.readdirSync(bundles).forEach(function (name) {
    var bundle = path.join(bundles, name);
    try {
      var ageMs = Date.now() - fs.statSync(bundle).mtimeMs;
      if (bundle !== current && ageMs > KEPT_MS) fs.rmSync(bundle, { recursive: true, force: true });
    } catch (_error) {
      // Somebody else removed it.
    }
  });
}
