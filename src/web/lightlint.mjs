// lightlint as a JavaScript module over lightlint.wasm. docs/web.md describes the functions, lightlint.d.ts has the
// types.

const FAIL_LEVELS = ['never', 'note', 'warning', 'error']
const SEVERITIES = ['off', 'note', 'warning', 'error']
const LISTS = ['families', 'extensions', 'check', 'fix', 'diff']
// Default limits per rule and per file, for formats for people.
const PEOPLE = ['full', 'concise', 'html']
const SHOWN_PER_RULE = 100
const SHOWN_PER_FILE = 1000
// Longest string in the most limited engine (32-bit V8: 2^29 - 24).
const DUMP_MAX = 2 ** 29 - 24

const MANIFESTS = ['.fpk.xml', '.fpkd.xml']
const PART = /_fpkd?\//g // in the path of a file in an unpacked archive

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** An error message of lightlint. fatal: the module has stopped, and load() must be called again. */
export class LightlintError extends Error {
  constructor(message, fatal = false) {
    super(message)
    this.name = 'LightlintError'
    this.fatal = fatal
  }
}

function asBytes(bytes) {
  return typeof bytes === 'string' ? encoder.encode(bytes) : bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
}

function compareBytes(a, b) {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1)
}

// Parses JSON Lines.
function parseLines(text) {
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line))
}

function splitWords(text) {
  return text.split('\0').slice(0, -1)
}

// ---------------------------------------------------------------- options

// Options of all functions that take rules or lint. Some have no effect in some functions.
const RUN_OPTIONS = ['select', 'ignore', 'severity', 'packs', 'game', 'failOn', 'allowUnsupported', 'all', 'maxPerRule', 'maxPerFile', 'verbosity', 'color', 'cross']
const FILE_OPTIONS = [...RUN_OPTIONS, 'member']
const DUMP_OPTIONS = [...FILE_OPTIONS, 'format', 'stable', 'script', 'limit']
const TREE_OPTIONS = [...FILE_OPTIONS, 'limit']
const DRAW_OPTIONS = [...FILE_OPTIONS, 'width', 'height', 'turned', 'yaw', 'pitch', 'zoom', 'middle', 'move', 'far', 'hidden', 'chosen']
const FIX_OPTIONS = [...RUN_OPTIONS, 'unsafe', 'rules', 'fingerprints', 'written']
const DIFF_OPTIONS = [...FILE_OPTIONS, 'heads']

// Edit distance: letters to change, add or remove.
function distanceOf(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (a[i] !== b[j])))
    row = next
  }
  return row[b.length]
}

// Returns `options`, or throws if it has an unknown name, even with the value undefined.
function checked(call, options, names) {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) throw new LightlintError(`${call}: options must be an object such as { ${names[0]}: ... }`)
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const short = name.slice(0, 64).toLowerCase()
    const [[distance, near]] = names.map((one) => [distanceOf(short, one.toLowerCase()), one]).sort(([a], [b]) => a - b)
    throw new LightlintError(`${call}: there is no option '${name}'${distance <= Math.max(2, near.length / 3) ? `: did you mean '${near}'?` : `; there are ${names.join(', ')}`}`)
  }
  return options
}

// ---------------------------------------------------------------- the module

// Calls functions of the WebAssembly module. Argument blocks are freed after the call.
class Module {
  #exports
  #dead = false

  constructor(exports) {
    this.#exports = exports
  }

  // Calls a function and returns its result. Arguments: numbers; strings, passed as a block with NUL; bytes, passed as
  // a block and its length.
  raw(name, ...args) {
    if (this.#dead) throw new LightlintError('lightlint has stopped because of an earlier failure: load it anew', true)
    const blocks = []
    try {
      return this.#exports[name](...args.flatMap((arg) => this.#pass(arg, blocks)))
    } catch (error) {
      if (error instanceof LightlintError) throw error
      this.#dead = true
      throw new LightlintError(`lightlint has stopped (${error.message}): this is a defect of lightlint, or memory ran out; load it anew`, true)
    } finally {
      if (!this.#dead) blocks.forEach((block) => this.#exports.web_release(block))
    }
  }

  // Like raw(), for functions that return false or 0 on failure.
  call(name, ...args) {
    const result = this.raw(name, ...args)
    if (!result) this.fail()
    return result
  }

  // Frees a handle, unless the module has stopped.
  release(name, handle) {
    if (!this.#dead) this.#exports[name](handle)
  }

  fail() {
    this.raw('web_problem')
    throw new LightlintError(this.text())
  }

  #pass(arg, blocks) {
    if (typeof arg === 'number' || typeof arg === 'boolean') return [Number(arg)]
    const bytes = typeof arg === 'string' ? encoder.encode(arg + '\0') : asBytes(arg)
    const block = this.#exports.web_alloc(bytes.length)
    if (!block) throw new LightlintError(`no memory for ${bytes.length} bytes`)
    blocks.push(block)
    new Uint8Array(this.#exports.memory.buffer, block, bytes.length).set(bytes)
    return typeof arg === 'string' ? [block] : [block, bytes.length]
  }

  // Copies an argument to a block that stays until web_release.
  keep(arg) {
    return this.#pass(arg, [])[0]
  }

  // Output of the last call.
  bytes() {
    const size = this.raw('web_output_size')
    return new Uint8Array(this.#exports.memory.buffer, this.raw('web_output'), size).slice()
  }

  text() {
    const size = this.raw('web_output_size')
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, this.raw('web_output'), size))
  }
}

// ---------------------------------------------------------------- rules and settings

// Creates a sealed rule set; the caller frees it.
function openRules(module, { select = [], ignore = [], severity = {}, packs = [] }) {
  const handle = module.call('web_rules')
  try {
    for (const { name, text } of packs.map((pack) => checked('packs', pack, ['name', 'text']))) module.call('web_rules_pack', handle, name, asBytes(text))
    for (const selector of select) module.call('web_rules_select', handle, selector)
    for (const selector of ignore) module.call('web_rules_ignore', handle, selector)
    for (const [selector, level] of Object.entries(severity)) {
      module.call('web_rules_severity', handle, selector, word('severity', level, SEVERITIES))
    }
    module.call('web_rules_seal', handle)
    return handle
  } catch (error) {
    module.release('web_rules_free', handle)
    throw error
  }
}

// Index of a word in a list.
function word(what, value, words) {
  const number = words.indexOf(value)
  if (number < 0) throw new LightlintError(`${what}: expected one of ${words.join(', ')}, not '${value}'`)
  return number
}

// Creates the struct `settings` of shim.c. Blocks to which it points are added to `kept`.
function settingsBlock(module, format, options, kept) {
  const { game = '', failOn = 'warning', allowUnsupported = false, all = false, verbosity = 0, color = false, cross = true } = options
  const limited = PEOPLE.includes(format) && !all
  const { maxPerRule = limited ? SHOWN_PER_RULE : 0, maxPerFile = limited ? SHOWN_PER_FILE : 0 } = options
  const variant = module.keep(game === 'auto' ? '' : game)
  kept.push(variant)
  const fields = [variant, word('failOn', failOn, FAIL_LEVELS), allowUnsupported, maxPerRule, maxPerFile, all, verbosity, color, cross]
  return new Uint8Array(Int32Array.from(fields.map(Number)).buffer)
}

// ---------------------------------------------------------------- runs

// Files passed to one output format.
class Pass {
  #module
  #kept = []
  #handle = 0

  constructor(module, rules, format, options) {
    this.#module = module
    const settings = module.keep(settingsBlock(module, format, options, this.#kept))
    this.#kept.push(settings)
    this.#handle = module.call('web_run', rules, settings, format)
  }

  // Replays an entry of a run: [function of the module, ...arguments].
  take(entry) {
    this.#module.call(entry[0], this.#handle, ...entry.slice(1))
  }

  // Runs the rules across files. Calls `done` after each piece of output.
  join(entries, done) {
    this.#module.call('web_run_join', this.#handle)
    done()
    this.#module.call('web_run_joined_names', this.#handle)
    const files = new Map(entries.filter(([name]) => name === 'web_run_add').map(([, path, bytes]) => [path, bytes]))
    splitWords(this.#module.text()).forEach((path, index) => {
      this.#module.call('web_run_joined', this.#handle, index, files.get(path) ?? new Uint8Array())
      done()
    })
  }

  finish() {
    const code = this.#module.raw('web_run_finish', this.#handle)
    if (code < 0) this.#module.fail()
    return code
  }

  missing() {
    return this.#module.raw('web_run_missing', this.#handle)
  }

  packages(format) {
    this.#module.call('web_run_packages', this.#handle, format)
    return this.#module.text()
  }

  notices() {
    this.#module.call('web_run_notices', this.#handle)
    const words = splitWords(this.#module.text())
    return words.flatMap((name, i) => (i % 4 === 0 ? [{ package: name, missing: words[i + 1], why: words[i + 2], rules: Number(words[i + 3]) }] : []))
  }

  free() {
    if (this.#handle) this.#module.release('web_run_free', this.#handle)
    this.#kept.forEach((block) => this.#module.release('web_release', block))
    this.#handle = 0
    this.#kept = []
  }
}

/** A run over files that are checked together, like one call of the program. */
export class Run {
  #module
  #options
  #rules
  #entries = []
  #pass // outputs JSON Lines
  #findings = []
  #missing = 0
  #result = null

  constructor(module, options) {
    this.#module = module
    this.#options = options
    this.#rules = openRules(module, options)
    this.#pass = new Pass(module, this.#rules, 'jsonl', { ...options, maxPerRule: 0, maxPerFile: 0, verbosity: 0 })
  }

  #take(...entry) {
    if (this.#result) throw new LightlintError('the run is finished: nothing may be added')
    this.#pass.take(entry)
    this.#entries.push(entry)
    const findings = parseLines(this.#module.text())
    this.#findings.push(...findings)
    return findings
  }

  add(path, bytes) {
    return { findings: this.#take('web_run_add', path, asBytes(bytes)) }
  }

  addUnreadable(path, reason) {
    return { findings: this.#take('web_run_add_unreadable', path, reason) }
  }

  addName(path) {
    this.#take('web_run_add_name', path, false)
  }

  addFolder(path) {
    this.#take('web_run_add_name', path, true)
  }

  finish() {
    if (!this.#result) {
      const across = []
      this.#pass.join(this.#entries, () => across.push(...parseLines(this.#module.text())))
      const exitCode = this.#pass.finish()
      const [summary] = parseLines(this.#module.text())
      this.#result = { findings: [...this.#findings, ...across], across, summary, exitCode, notices: this.#pass.notices() }
    }
    return this.#result
  }

  // Prints the report of these files in another format.
  print(format, options = {}) {
    checked('print', options, RUN_OPTIONS)
    const { exitCode } = this.finish()
    const pass = new Pass(this.#module, this.#rules, format, { ...this.#options, ...options })
    const parts = []
    const put = () => parts.push(this.#module.bytes())
    try {
      for (const entry of this.#entries) {
        pass.take(entry)
        put()
      }
      pass.join(this.#entries, put)
      pass.finish()
      put()
      this.#missing = pass.missing()
    } finally {
      pass.free()
    }
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }

  get missing() {
    return this.#missing
  }

  packages(format = 'text') {
    this.finish()
    return this.#pass.packages(format)
  }

  free() {
    if (this.#rules) {
      this.#pass.free()
      this.#module.release('web_rules_free', this.#rules)
    }
    this.#rules = 0
    this.#entries = []
  }
}

// ---------------------------------------------------------------- the library

export class Lightlint {
  #module
  #rules
  #layouts

  constructor(exports) {
    exports._initialize()
    exports.web_seed(Math.floor(Math.random() * 2 ** 32))
    this.#module = new Module(exports)
    this.#rules = openRules(this.#module, {})
    this.about = JSON.parse(this.#text('web_print_version', this.#rules, 'json'))
    this.version = this.about.version
    const [families, extensions, check, fix, diff] = LISTS.map((_, i) => splitWords(this.#text('web_words', i)))
    this.families = families
    this.extensions = extensions
    this.formats = { check, fix, diff, dump: ['text', 'json'], packages: ['text', 'json', 'dot'] }
  }

  #text(...call) {
    this.#module.call(...call)
    return this.#module.text()
  }

  #withRules(options, use) {
    const rules = openRules(this.#module, options)
    try {
      return use(rules)
    } finally {
      this.#module.release('web_rules_free', rules)
    }
  }

  // Texts like those of the commands rules, fields and version.
  printRules(format = 'text', options = {}) {
    checked('printRules', options, RUN_OPTIONS)
    const chosen = Boolean(options.select || options.ignore)
    return this.#withRules(options, (rules) => this.#text('web_print_rules', rules, chosen, format))
  }

  printFields(format = 'text', family = '') {
    return this.#text('web_print_fields', family, format)
  }

  printVersion(format = 'text') {
    return this.#text('web_print_version', this.#rules, format)
  }

  rules(options = {}) {
    return JSON.parse(this.printRules('json', checked('rules', options, RUN_OPTIONS))).rules
  }

  fields(family = '') {
    return JSON.parse(this.printFields('json', family)).records
  }

  // Sorts files found in folders like the program does: `add` are to be linted, in this order; `names` and `folders`
  // are for rules across files. all: the paths were named one by one.
  sort(paths, options = {}) {
    const { all = false } = checked('sort', options, ['all'])
    const ends = (path, endings) => endings.some((ending) => path.endsWith(ending))
    const hidden = (path) => path.split('/').some((name) => name.startsWith('.') && name !== '.' && name !== '..')
    const seen = all ? paths : paths.filter((path) => !hidden(path))
    const isAdded = (path) => all || ends(path, this.extensions) || ends(path, MANIFESTS)
    const keyed = seen.filter(isAdded).map((path) => [encoder.encode(path), path])
    const folders = new Set(seen.flatMap((path) => [...path.matchAll(PART)].map((match) => path.slice(0, match.index + match[0].length - 1))))
    return { add: keyed.sort(([a], [b]) => compareBytes(a, b)).map(([, path]) => path), names: seen.filter((path) => !isAdded(path) && path.search(PART) >= 0), folders: [...folders] }
  }

  // Should a file without a known extension be added? True for an archive of the game that cannot be opened. first: its
  // first bytes, at least four if it has as many; without them, only the name decides.
  isUnreadArchive(path, first) {
    return Boolean(this.#module.raw('web_unread_archive', path, first !== undefined, asBytes(first ?? new ArrayBuffer(0))))
  }

  explain(rule, format = 'text', options = {}) {
    return this.#withRules(checked('explain', options, RUN_OPTIONS), (rules) => this.#text('web_explain', rules, rule, format))
  }

  run(options = {}) {
    return new Run(this.#module, checked('run', options, RUN_OPTIONS))
  }

  // Lints a file and passes its handle to `use`. A member is an option here, not "ARCHIVE!PATH".
  #withFile(path, bytes, options, use) {
    const module = this.#module
    return this.#withRules(options, (rules) => {
      const kept = []
      let handle = 0
      try {
        const data = asBytes(bytes)
        const settings = settingsBlock(module, 'json', options, kept)
        kept.push(module.keep(settings), module.keep(path), module.keep(data))
        const [, block, name, start] = kept
        handle = module.call('web_file', rules, block, name, start, data.length)
        if (options.member !== undefined) {
          const index = this.#members(handle).findIndex((member) => member.path === options.member)
          if (index < 0) throw new LightlintError(`${path}: no member '${options.member}' that can be shown`)
          module.call('web_file_enter', handle, index)
        }
        return use(handle, start, data.length)
      } finally {
        if (handle) module.release('web_file_free', handle)
        kept.forEach((block) => module.release('web_release', block))
      }
    })
  }

  #members(handle) {
    const words = splitWords(this.#text('web_file_members', handle))
    return words.flatMap((path, i) => (i % 3 === 0 ? [{ path, offset: Number(words[i + 1]), length: Number(words[i + 2]) }] : []))
  }

  members(path, bytes, options = {}) {
    return this.#withFile(path, bytes, checked('members', options, RUN_OPTIONS), (file) => this.#members(file))
  }

  dump(path, bytes, options = {}) {
    const { format = 'text', stable = false, script, limit = DUMP_MAX } = checked('dump', options, DUMP_OPTIONS)
    const name = stable ? (format === 'json' ? 'records' : 'stable') : format
    return this.#withFile(path, bytes, options, (file) =>
      script === undefined ? this.#text('web_dump', file, name, limit) : this.#text('web_list', file, script))
  }

  tree(path, bytes, options = {}) {
    checked('tree', options, TREE_OPTIONS)
    this.#layouts ??= new Map(this.fields().map((layout) => [layout.record, layout]))
    const module = this.#module
    return this.#withFile(path, bytes, options, (file) => {
      const tree = treeOf(JSON.parse(this.#text('web_dump', file, 'json', options.limit ?? DUMP_MAX)), this.#layouts)
      tree.regions.forEach((region) => {
        module.call('web_region', file, region.name)
        region.bytes = module.bytes()
      })
      return tree
    })
  }

  space(path, bytes, options = {}) {
    return JSON.parse(this.dump(path, bytes, { ...checked('space', options, TREE_OPTIONS), format: 'space' }))
  }

  draw(path, bytes, options = {}) {
    const { width = 720, height = 480, turned = false, yaw = 0, pitch = 0, zoom = 0, middle = [0, 0, 0], move = [0, 0], far = false, hidden = 0, chosen = -1 } = checked('draw', options, DRAW_OPTIONS)
    const camera = [width, height, turned, yaw, pitch, zoom, ...middle, ...move, far, hidden >>> 0, (chosen + 1) >>> 0]
    return this.#withFile(path, bytes, options, (file) => this.#text('web_draw', file, Float64Array.from(camera.map(Number)).buffer))
  }

  fix(path, bytes, options = {}) {
    const { unsafe = false, rules = [], fingerprints = [], written = false } = checked('fix', options, FIX_OPTIONS)
    const lines = (words) => words.map((word) => `${word} `).join('')
    const module = this.#module
    return this.#withFile(path, bytes, options, (file, start, size) => {
      const fix = module.call('web_fix', file, start, size, unsafe, lines(rules), lines(fingerprints))
      const print = (format) => this.#text('web_fix_print', fix, format, written)
      try {
        const patches = parseLines(print('jsonl'))
        const of = (type) => patches.filter((line) => line.type === type)
        const [text, diff] = [print('text'), print('diff')]
        module.call('web_fix_bytes', fix)
        return { bytes: module.bytes(), file: of('file')[0] ?? null, applied: of('patch'), left: of('left'), text, diff }
      } finally {
        module.release('web_fix_free', fix)
      }
    })
  }

  // pathA or pathB null: the file exists on the other side only.
  diff(pathA, bytesA, pathB, bytesB, format = 'text', options = {}) {
    checked('diff', options, DIFF_OPTIONS)
    const open = (path, bytes, use) => (path === null ? use(0) : this.#withFile(path, bytes, options, use))
    return open(pathA, bytesA, (before) => open(pathB, bytesB, (after) => this.#compare(before, after, format, options)))
  }

  #compare(before, after, format, { heads = false, member }) {
    const module = this.#module
    const parts = []
    const add = (...call) => parts.push(this.#text(...call))
    const handle = module.call('web_diff', format, heads)
    add('web_diff_add', handle, before, after)
    const names = (file) => this.#members(file).map(({ path }) => path)
    const [old, now] = before && after && member === undefined ? [names(before), names(after)] : [[], []]
    old.forEach((path, index) => {
      const other = now.indexOf(path)
      if (other >= 0) {
        module.call('web_file_enter', before, index)
        module.call('web_file_enter', after, other)
        add('web_diff_add', handle, before, after)
      }
    })
    if (module.raw('web_diff_finish', handle) < 0) module.fail()
    return parts.join('') + module.text()
  }

  build(json) {
    const module = this.#module
    const built = module.call('web_build', asBytes(json))
    try {
      const [format, name, ...notes] = splitWords(this.#text('web_built_words', built))
      module.call('web_built_bytes', built)
      return { bytes: module.bytes(), format, name, notes }
    } finally {
      module.release('web_built_free', built)
    }
  }
}

// ---------------------------------------------------------------- the tree of a file

// Splits a path before its last name; brackets contain numbers and names of records.
const LAST_NAME = /^(.*)\.([^.[\]]+(?:\[[^\]]*\])*)$/s

// Groups adjacent spans of one record in a file or region.
function recordsOf(spans, region, layouts) {
  const records = []
  let record = null
  let start = null
  for (const span of spans) {
    const [, path, name] = (span.record && LAST_NAME.exec(span.path)) || [null, span.path, '']
    if (!record || !span.record || record.record !== span.record || record.path !== path) {
      const layout = layouts.get(span.record)
      record = { path, record: span.record ?? null, region, offset: span.offset, length: 0, label: layout?.label ?? '', meaning: layout?.meaning ?? '', endian: layout?.endian ?? '', fields: [] }
      start = new Map(layout?.fields.map((field) => [field.name, field]))
      records.push(record)
    }
    const known = start.get(name.replace(/\[.*/s, ''))
    const { type, leads_to: leadsTo } = span
    record.length = span.offset + span.length - record.offset
    record.fields.push({
      name, path: span.path, offset: span.offset, length: span.length, role: known?.role || (known ? '' : type), type: known?.type ?? type,
      value: span.value, leadsTo, meaning: known?.meaning ?? '', certainty: known?.certainty ?? '', source: known?.source ?? '',
    })
  }
  return records
}

function treeOf(dump, layouts) {
  const { file, format, size, member, offset, regions = [], members = [] } = dump
  const records = [recordsOf(dump.spans, null, layouts), ...regions.map(({ name, spans }) => recordsOf(spans, name, layouts))].flat()
  return { file, format, size, member, offset, records, regions: regions.map(({ name, offset, length, size }) => ({ name, offset, length, size })), members }
}

// ---------------------------------------------------------------- loading

// System calls that the C library is linked with; lightlint does not use them.
const BAD_DESCRIPTOR = 8
const stubs = ['fd_close', 'fd_seek', 'fd_write']
const imports = { wasi_snapshot_preview1: Object.fromEntries(stubs.map((name) => [name, () => BAD_DESCRIPTOR])) }

async function bytesBeside() {
  const url = new URL('lightlint.wasm', import.meta.url)
  if (url.protocol === 'file:' && typeof process === 'object') {
    const files = 'node:fs/promises' // hide the name from bundlers for web pages
    return (await import(files)).readFile(url)
  }
  const response = await fetch(url)
  if (!response.ok) throw new LightlintError(`${url}: ${response.status} ${response.statusText}`)
  return response.arrayBuffer()
}

/** source: bytes of lightlint.wasm, or a WebAssembly.Module; by default the file beside this one is read. */
export async function load(source, options = {}) {
  const { onInstance } = checked('load', options, ['onInstance'])
  const given = source ?? (await bytesBeside())
  const module = given instanceof WebAssembly.Module ? given : await WebAssembly.compile(given)
  const instance = await WebAssembly.instantiate(module, imports)
  onInstance?.(instance)
  return new Lightlint(instance.exports)
}
