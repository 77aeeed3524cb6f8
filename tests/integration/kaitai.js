/* Compiles a Kaitai Struct specification and reads files with it.
 *
 *   usage: node kaitai.js MODULES < {"ksy": OBJECT, "files": [PATH...]} > {PATH: [[start, end, value]...] or "error"}
 *
 * MODULES: folder of the npm packages. The output has every value that was read, with positions from the compiler's
 * debug mode; a value is a number, a text or, for bytes, null. */
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');
const load = (name) => require(path.join(path.resolve(process.argv[2]), name));
const compiler = load('kaitai-struct-compiler'), KaitaiStream = load('kaitai-struct/KaitaiStream');

/* Adds a value. An object counts as one if it is a number in another form (its instance `value`). */
function visit(value, place, found) {
  if (Array.isArray(value)) {
    value.forEach((item, i) => visit(item, place && place.arr ? place.arr[i] : null, found));
  } else if (value && value._io) {
    if (typeof value.value === 'number') {
      add(value.value, place, found);
    }
    if (!found.seen.has(value)) {
      found.seen.add(value);
      walk(value, found);
    }
  } else if (place) {
    add(value instanceof Uint8Array ? null : value, place, found);
  }
}

function add(value, place, found) {
  const base = place && place.ioOffset ? place.ioOffset : 0;
  if (place && place.start !== undefined) {
    found.values.push([base + place.start, base + place.end, typeof value === 'number' && !isFinite(value) ? String(value) : value]);
  }
}

/* Adds all fields, and all instances, which are read on access. */
function walk(object, found) {
  const instances = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)));
  for (const [name, what] of instances) {
    if (what.get) {
      object[name];
    }
  }
  for (const name of Object.keys(object).concat(instances.filter(([, what]) => what.get).map(([name]) => name))) {
    if (!name.startsWith('_')) {
      visit(object[name], object._debug[name] || object._debug['_m_' + name], found);
    }
  }
}

async function main() {
  const input = JSON.parse(fs.readFileSync(0, 'utf8'));
  const files = await compiler.compile('javascript', input.ksy, null, true);
  const source = Object.values(files)[0], name = Object.keys(files)[0].replace(/\.js$/, '');
  const module = {exports: {}};
  vm.runInThisContext(`(function (require, module, exports, define) {${source}\n})`)(() => KaitaiStream, module, module.exports);
  const Type = module.exports[name] || module.exports;
  const result = {};
  for (const file of input.files) {
    const bytes = fs.readFileSync(file);
    const found = {values: [], seen: new Set()};
    try {
      const root = new Type(new KaitaiStream(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
      root._read();
      visit(root, null, found);
      result[file] = found.values;
    } catch (error) {
      result[file] = String(error.stack || error);
    }
  }
  process.stdout.write(JSON.stringify(result));
}

main().catch((error) => {
  process.stderr.write(String(error.stack || error) + '\n');
  process.exit(1);
});
