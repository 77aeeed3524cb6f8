// The output of lightlint.wasm equals that of the program, byte for byte: for every EVERYth case, for some in every
// format, and in dumps, fixes, comparisons and builds of some. The module imports only stubs, is small, and no cut file
// makes it crash.
//
// usage: node same_as_native.mjs LIGHTLINT LIGHTLINT.wasm CASES EVERY      exit: 0 equal, 1 not, 77 no module was built
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { load } from '../../src/web/lightlint.mjs'

const SIZE_MAX = 1_500_000 // as written by wasm-opt
const IMPORTS = ['fd_close', 'fd_seek', 'fd_write']
const SAMPLES = 40 // cases for the further checks
const PRINTED = 24 // every twenty-fourth file of these is printed in all formats
const CUTS = 8 // number of lengths to cut each at
const [program, wasm, cases] = process.argv.slice(2, 5).map((path) => resolve(path))
const every = Number(process.argv[5])
if (!existsSync(wasm)) {
  console.log(`no ${wasm}: build the preset wasm: skipped`)
  process.exit(77)
}
const scratch = mkdtempSync(join(tmpdir(), 'lightlint-web-'))
let passed = 0
let wordsOfRegions = 0
let failed = 0

function check(what, fine, why = '') {
  passed += fine ? 1 : 0
  failed += fine ? 0 : 1
  if (!fine) console.log(`FAILED ${what}\n${why}`)
}

function same(what, native, other) {
  const [a, b] = [Buffer.from(native), Buffer.from(other)]
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const near = (bytes) => bytes.subarray(Math.max(0, at - 60), at + 100).toString()
  check(what, a.equals(b), `at byte ${at} of ${a.length} and ${b.length}:\n${near(a)}\n---\n${near(b)}`)
}

function run(...words) {
  const done = spawnSync(program, words, { cwd: cases, maxBuffer: 1 << 30 })
  return { out: done.stdout, code: done.status }
}

function filesBelow(folder) {
  return readdirSync(join(cases, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

// Each printed format takes as long as the run.
function lintAll(ll, files, bytes, formats) {
  const list = join(scratch, 'list')
  writeFileSync(list, files.map((path) => `${path}\n`).join(''))
  const options = formats.flatMap((format) => ['--format', `${format}:${join(scratch, format)}`])
  const { code } = run('check', '--isolated', '--files-from', list, ...options)
  const lints = ll.run()
  const began = performance.now()
  const found = files.flatMap((path) => lints.add(path, bytes.get(path)).findings)
  const spent = performance.now() - began
  const { findings, across, exitCode, summary } = lints.finish()
  console.log(`${files.length} files in ${Math.round(spent)} ms`)
  check('exit code', exitCode === code && summary.exit_code === code, `${code} and ${exitCode}`)
  check('findings', findings.length === found.length + across.length)
  const lines = readFileSync(join(scratch, 'jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  same('objects', JSON.stringify(lines), JSON.stringify([...findings, summary]))
  for (const format of formats) same(format, readFileSync(join(scratch, format)), lints.print(format))
  lints.free()
}

function compareOne(ll, path, bytes) {
  const native = (...words) => run(...words, '--isolated').out
  same(`dump ${path}`, native('dump', path), ll.dump(path, bytes))
  same(`dump json ${path}`, native('dump', '--format', 'json', path), ll.dump(path, bytes, { format: 'json' }))
  same(`dump stable ${path}`, native('dump', '--stable', path), ll.dump(path, bytes, { stable: true }))
  const fixed = ll.fix(path, bytes, { unsafe: true })
  same(`fix ${path}`, native('fix', '--diff', '--unsafe', path), fixed.diff)
  const lines = native('fix', '--diff', '--unsafe', '--format', 'jsonl', path).toString().split('\n').slice(0, -2).map((line) => JSON.parse(line))
  same(`fix jsonl ${path}`, JSON.stringify(lines), JSON.stringify([fixed.file, ...fixed.applied, ...fixed.left].filter(Boolean)))
  const after = join(scratch, 'after')
  writeFileSync(after, fixed.bytes)
  for (const format of ll.formats.diff) {
    same(`diff ${format} ${path}`, native('diff', '--format', format, path, after), ll.diff(path, bytes, after, fixed.bytes, format))
  }
}

function buildOne(ll, path, bytes) {
  const json = ll.dump(path, bytes, { format: 'json' })
  const from = join(scratch, 'dump.json')
  const to = join(scratch, `built-${path.split('/').pop()}`)
  writeFileSync(from, json)
  rmSync(to, { force: true })
  const { code } = run('build', '--isolated', from, '-o', to)
  let built
  try {
    built = ll.build(json).bytes
  } catch (error) {
    check(`build ${path}`, code === 2, error.message)
    return
  }
  if (code === 0) same(`build ${path}`, readFileSync(to), built)
}

// Every byte is in one field, including gaps and unparsed ranges.
function lookAtTree(ll, path, bytes) {
  const { records, regions } = ll.tree(path, bytes)
  let at = 0
  const fields = records.filter((record) => record.region === null).flatMap((record) => record.fields)
  const whole = fields.every((field) => {
    const follows = field.offset === at
    at = field.offset + field.length
    return follows
  })
  check(`tree ${path}`, whole && at === bytes.length, `tiling ends at ${at} of ${bytes.length}`)
  for (const { name, size, bytes: own } of regions) {
    const view = new DataView(own.buffer, own.byteOffset, own.length)
    // words of Metroid Prime are big-endian
    const words = records.filter(({ region }) => region === name).flatMap(({ fields }) => fields).filter(({ type }) => type === 'u32')
    check(`region ${path} ${name}`, own.length === size && words.every(({ offset, value }) => view.getUint32(offset) === Number(value)), 'bytes')
    wordsOfRegions += words.length
  }
  const known = new Set(records.map((record) => `${record.record} ${record.path} ${record.region ?? ''} ${record.offset}`))
  const strange = ll.space(path, bytes).things.filter((thing) => !known.has(`${thing.record} ${thing.path} ${thing.region ?? ''} ${thing.offset}`))
  check(`space ${path}`, strange.length === 0, `no records: ${JSON.stringify(strange.slice(0, 3))}`)
}

function cutOne(ll, path, bytes) {
  const step = Math.max(1, Math.floor(bytes.length / CUTS))
  for (let n = 0; n < bytes.length; n += step) {
    const cut = bytes.subarray(0, n)
    try {
      const lints = ll.run()
      lints.add(path, cut)
      lints.finish()
      lints.free()
      ll.tree(path, cut)
      ll.space(path, cut)
      if (n % (4 * step) === 0) ll.fix(path, cut, { unsafe: true })
    } catch (error) {
      check(`${path}, cut to ${n} bytes`, false, error.message)
      if (error.fatal) return
    }
  }
  passed += 1
}

function refusals(ll) {
  const refuses = (what, words, call) => {
    try {
      call()
      check(what, false, 'accepted')
    } catch (error) {
      check(what, !error.fatal && error.message.includes(words), error.message)
    }
  }
  refuses('unknown rule', "did you mean 'GRX405'?", () => ll.explain('GRX40x'))
  refuses('unknown selector', 'NOPE', () => ll.run({ select: ['NOPE'] }))
  refuses('unknown level', 'loud', () => ll.run({ failOn: 'loud' }))
  const [map, none] = ['x.rgm', new Uint8Array(8)]
  const misspelt = {
    run: (options) => ll.run(options), print: (options) => ll.run().print('json', options), rules: (options) => ll.rules(options),
    printRules: (options) => ll.printRules('json', options), explain: (options) => ll.explain('GRX405', 'json', options),
    members: (options) => ll.members(map, none, options), dump: (options) => ll.dump(map, none, options), tree: (options) => ll.tree(map, none, options),
    space: (options) => ll.space(map, none, options), draw: (options) => ll.draw(map, none, options), fix: (options) => ll.fix(map, none, options), diff: (options) => ll.diff(map, none, map, none, 'text', options),
  }
  for (const [call, use] of Object.entries(misspelt)) {
    refuses(`misspelt option of ${call}`, `${call}: there is no option 'selct': did you mean 'select'?`, () => use({ selct: ['GRX'] }))
    refuses(`unknown option of ${call}`, `${call}: there is no option 'wavelength'; there are select, `, () => use({ wavelength: 1 }))
    refuses(`options of ${call} as a list`, `${call}: options must be an object`, () => use(['GRX']))
  }
  refuses('option in other letters', "did you mean 'failOn'?", () => ll.run({ failon: 'note' }))
  refuses('misspelt option of sort', "sort: there is no option 'al': did you mean 'all'?", () => ll.sort([], { al: true }))
  refuses('misspelt name of a pack', "did you mean 'text'?", () => ll.run({ packs: [{ name: 'x.yaml', txt: '' }] }))
  refuses('bad pack', '1:3: x.yaml: expected a rule', () => ll.run({ packs: [{ name: 'x.yaml', text: '- 1' }] }))
  refuses('no dump', 'no "format"', () => ll.build('{"a":1}'))
  refuses('no script', 'no scripts', () => ll.dump('x.rgm', new Uint8Array(8), { script: 'nobody' }))
  refuses('unknown format', 'arguments', () => ll.dump('x.grxla', new Uint8Array(8), { format: 'xml' }))
  refuses('no member', 'no member', () => ll.dump('x.fpk', new Uint8Array(8), { member: 'a' }))
}

// Memory of a run is released: many runs need no more than a few.
function leaks(exports, ll, path, bytes) {
  const all = () => {
    const lints = ll.run()
    lints.add(path, bytes)
    lints.print('sarif')
    lints.free()
    ll.tree(path, bytes)
    const { bytes: fixed } = ll.fix(path, bytes, { unsafe: true })
    ll.diff(path, bytes, path, fixed)
    ll.build(ll.dump(path, bytes, { format: 'json' }))
  }
  for (let i = 0; i < 20; i++) all()
  const before = exports.memory.buffer.byteLength
  for (let i = 0; i < 100; i++) all()
  check('memory', exports.memory.buffer.byteLength === before, `${before} grew to ${exports.memory.buffer.byteLength} bytes`)
}

// With two faults in a file, fix applies only the patches named by rules or fingerprints.
function chosenPatches(ll, path, sound) {
  const bytes = Uint8Array.from(sound)
  bytes[4] = 1 // header.reserved
  // name_reserved of the entry after the DataSet
  const reserved = 16 + new DataView(bytes.buffer).getUint32(20, true) + 0x14
  bytes[reserved] = 1
  const run = ll.run()
  const found = run.add(path, bytes).findings.filter(({ patch }) => patch)
  run.free()
  const rules = found.map(({ rule }) => rule)
  check('two patches', rules.length === 2 && rules[0] !== rules[1], rules.join(' '))
  const applied = (options) => ll.fix(path, bytes, { unsafe: true, ...options })
  const expect = (what, { applied: done, bytes: fixed }, ...wanted) => {
    same(`fix: ${what}`, wanted.join(' '), done.map(({ rule }) => rule).join(' '))
    const changed = [4, reserved].map((at) => fixed[at] !== bytes[at]).join(' ')
    same(`fix: bytes, ${what}`, rules.map((rule) => wanted.includes(rule)).join(' '), changed)
  }
  expect('all', applied({}), ...rules)
  found.forEach(({ rule, fingerprint }) => {
    expect(`rules ${rule}`, applied({ rules: [rule] }), rule)
    expect(`fingerprint of ${rule}`, applied({ fingerprints: [fingerprint] }), rule)
  })
  expect('both fingerprints', applied({ fingerprints: found.map(({ fingerprint }) => fingerprint) }), ...rules)
  expect('a fingerprint of nothing', applied({ fingerprints: ['0'.repeat(16)] }))
}

// After a crash, the module refuses every call, frees a run silently, and works again when loaded anew.
async function afterTrap(module, path, bytes) {
  let instance
  const ll = await load(module, { onInstance: (made) => (instance = made) })
  const run = ll.run()
  run.add(path, bytes)
  new Uint8Array(instance.exports.memory.buffer).fill(0xff)
  const refused = (what, call) => {
    try {
      call()
      check(what, false, 'accepted')
    } catch (error) {
      check(what, error.name === 'LightlintError' && error.fatal, String(error))
    }
  }
  refused('a trap', () => run.add(path, bytes))
  refused('a call after it', () => ll.rules())
  refused('a run after it', () => ll.run())
  refused('the run that it happened in', () => run.finish())
  run.free()
  run.free()
  const again = (await load(module)).run()
  check('loaded anew', again.add(path, bytes).findings.length === 0, 'findings in a sound file')
  again.free()
}

async function main() {
  const module = await WebAssembly.compile(readFileSync(wasm))
  const size = statSync(wasm).size
  console.log(`${size} bytes`)
  check('size', size <= SIZE_MAX, `${size} bytes, at most ${SIZE_MAX} wanted`)
  same('imports', IMPORTS.join(' '), WebAssembly.Module.imports(module).map(({ name }) => name).sort().join(' '))
  let instance
  const ll = await load(module, { onInstance: (made) => (instance = made) })
  same('version', execFileSync(program, ['--version']).toString(), `lightlint ${ll.version}\n`)
  same('rules', JSON.stringify(JSON.parse(run('rules', '--isolated', '--format', 'json').out).rules), JSON.stringify(ll.rules()))
  same('explain', run('explain', '--isolated', 'GRX405').out, ll.explain('GRX405'))
  same('fields', JSON.stringify(JSON.parse(run('fields', '--format', 'json', 'grx').out).records), JSON.stringify(ll.fields('grx')))
  refusals(ll)
  const all = filesBelow('').sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const files = all.filter((path, i) => i % every === 0 || path.startsWith('good-'))
  const bytes = new Map(files.map((path) => [path, new Uint8Array(readFileSync(join(cases, path)))]))
  lintAll(ll, files, bytes, ['jsonl'])
  lintAll(ll, files.filter((_, i) => i % PRINTED === 0), bytes, ll.formats.check)
  const step = Math.max(1, Math.floor(files.length / SAMPLES))
  const isLooked = (path, i) => i % step === 0 || path.startsWith('good-mp2-lzo/') // has a region
  for (const path of files.filter(isLooked)) {
    for (const look of [compareOne, buildOne, lookAtTree, cutOne]) look(ll, path, bytes.get(path))
  }
  const good = files.find((path) => path.endsWith('.grxla'))
  leaks(instance.exports, ll, good, bytes.get(good))
  const sound = 'good-spot-gz/'
  const [path] = files.filter((name) => name.startsWith(sound))
  chosenPatches(ll, path, bytes.get(path))
  check('regions', wordsOfRegions > 0, 'no words in them')
  await afterTrap(module, path, bytes.get(path))
}

try {
  await main()
} finally {
  rmSync(scratch, { recursive: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
