#!/usr/bin/env node
// The lightlint program over lightlint.wasm, for systems with Node.js but no native program: commands that change no
// files, without configuration files. docs/web.md lists the differences.
import { closeSync, openSync, readFileSync, readSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { load, LightlintError } from './lightlint.mjs'

// V8 compiles functions of the module a second time soon after the start: half of the time over 2,000 small files. It
// may do so later: runs over large files take as long as before. Only versions that are known to have this option.
const [V8] = process.versions.v8?.split('.') ?? []
if (V8 >= 10 && V8 <= 13) setFlagsFromString('--wasm-tiering-budget=200000000')

const CLEAN = 0
const FINDINGS = 1
const TROUBLE = 2

const HELP = `usage: lightlint [check] [OPTIONS] PATH...      check files, directories, '-'
       lightlint dump [--script ACTOR] FILE     show every byte, or a script
       lightlint diff OLD NEW                   compare files, by field
       lightlint packages [OPTIONS] PATH...     show who refers to whom
       lightlint explain RULE                   show why a rule is there
       lightlint rules [--select SELECTOR]      list all rules, or some
       lightlint fields [FAMILY]                list records and fields
       lightlint version [-v]

      --select SELECTOR     check these rules only
      --ignore SELECTOR     leave these rules out
      --severity RULE=LEVEL error, warning, note or off
      --rules FILE          add your own rules (YAML)
      --no-cross            check every file by itself
      --game GAME           mp1, mp2, mp3 or auto: game of bare lights sections
      --format FORMAT[:FILE]  what to write, and where; repeatable
  -o, --output FILE         write the first format to FILE
      --all                 show every place: no folding, no limits
      --max-per-rule N, --max-per-file N
      --stable              dump: records by name, and no places
      --script ACTOR        dump: list the actor's script
      --color WHEN          always or never (the default)
      --fail-on LEVEL       error, warning (default), note or never
      --unsupported WHAT    refuse (exit code 2) or allow what cannot be checked
  -q, --quiet; -qq          say nothing when clean; only what fails
  -v, --verbose             name clean files too
  -h, --help; --version
Exit codes: 0 nothing found, 1 findings, 2 something could not be done.
`

const OPTIONS = {
  select: { type: 'string', multiple: true }, ignore: { type: 'string', multiple: true }, severity: { type: 'string', multiple: true },
  rules: { type: 'string', multiple: true }, 'no-cross': { type: 'boolean' }, isolated: { type: 'boolean' }, game: { type: 'string' },
  format: { type: 'string', multiple: true }, output: { type: 'string', short: 'o' }, all: { type: 'boolean' }, 'max-per-rule': { type: 'string' },
  'max-per-file': { type: 'string' }, stable: { type: 'boolean' }, script: { type: 'string' }, color: { type: 'string' }, 'fail-on': { type: 'string' },
  unsupported: { type: 'string' }, quiet: { type: 'boolean', short: 'q', multiple: true }, verbose: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' },
}

function say(text) {
  process.stderr.write(`lightlint: ${text}\n`)
}

function refuse(text) {
  throw new LightlintError(text)
}

function oneOf(option, value, words) {
  return words.includes(value) ? value : refuse(`--${option}: expected one of ${words.join(', ')}, not '${value}'`)
}

function number(option, text) {
  return text === undefined ? undefined : /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${option}: '${text}' is no number`)
}

// Removes undefined values, so that defaults apply.
function given(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

const list = (words = []) => words.flatMap((word) => word.split(','))

function settings(values) {
  const severity = Object.fromEntries(list(values.severity).map((word) => {
    const [, rule, level] = /^(.+)=(\w+)$/.exec(word) ?? refuse(`--severity: expected RULE=LEVEL, not '${word}'`)
    return [rule, level]
  }))
  const select = list(values.select)
  return given({
    select: select.length ? select : undefined, ignore: values.ignore && list(values.ignore), severity,
    packs: (values.rules ?? []).map((name) => ({ name, text: readFileSync(name) })),
    cross: !values['no-cross'], game: values.game && oneOf('game', values.game, ['auto', 'mp1', 'mp2', 'mp3']),
    all: values.all, maxPerRule: number('max-per-rule', values['max-per-rule']), maxPerFile: number('max-per-file', values['max-per-file']),
    color: oneOf('color', values.color ?? 'never', ['always', 'never', 'auto']) === 'always', failOn: values['fail-on'],
    allowUnsupported: oneOf('unsupported', values.unsupported ?? 'refuse', ['refuse', 'allow']) === 'allow',
    verbosity: values.verbose ? 1 : -(values.quiet?.length ?? 0),
  })
}

// ---------------------------------------------------------------- files

// Error text worded like that of the program: "No such file or directory".
function reason(error) {
  const words = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? error.message
  return words[0].toUpperCase() + words.slice(1)
}

function read(path) {
  return path === '-' ? readFileSync(0) : readFileSync(path)
}

function filesBelow(folder) {
  return readdirSync(folder || '.', { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`
    return entry.name.startsWith('.') ? [] : entry.isDirectory() ? filesBelow(`${path}/`) : entry.isFile() ? [path] : []
  })
}

// Is it an archive that cannot be opened? If it cannot be read, only its name decides.
function isUnread(ll, path) {
  if (!ll.isUnreadArchive(path)) return false
  const first = new Uint8Array(4)
  try {
    const file = openSync(path)
    const size = readSync(file, first)
    closeSync(file)
    return ll.isUnreadArchive(path, first.subarray(0, size))
  } catch {
    return ll.isUnreadArchive(path, new Uint8Array(0))
  }
}

// Collects the files to lint, and the names for rules across files.
function gather(ll, operands) {
  const named = []
  const found = []
  for (const operand of operands) {
    const folder = operand !== '-' && statSync(operand, { throwIfNoEntry: false })?.isDirectory()
    if (folder) found.push(...filesBelow(operand === '.' ? '' : `${operand.replace(/\/+$/, '')}/`))
    else named.push(operand)
  }
  const archives = new Set(found.filter((path) => isUnread(ll, path)))
  const { add, names, folders } = ll.sort(found)
  return { add: ll.sort([...new Set([...add, ...archives, ...named])], { all: true }).add, names: names.filter((path) => !archives.has(path)), folders }
}

function write(file, bytes) {
  if (!file) {
    process.stdout.write(bytes)
    return
  }
  writeFileSync(`${file}.lightlint-new`, bytes)
  renameSync(`${file}.lightlint-new`, file)
}

function outputs(values, usual, known) {
  const formats = (values.format ?? [usual]).map((word) => {
    const [name, ...file] = word.split(':')
    return { name: oneOf('format', name, known), file: file.join(':') }
  })
  if (values.output) formats[0].file = values.output
  if (formats.filter(({ file }) => !file).length > 1) refuse('one format can go to standard output')
  return formats
}

// ---------------------------------------------------------------- commands

function lint(ll, operands, options) {
  const run = ll.run(options)
  const { add, names, folders } = gather(ll, operands)
  for (const path of add) {
    let bytes
    try {
      bytes = read(path)
    } catch (error) {
      run.addUnreadable(path, reason(error))
      continue
    }
    run.add(path === '-' ? '<stdin>' : path, bytes)
  }
  names.forEach((path) => run.addName(path))
  folders.forEach((path) => run.addFolder(path))
  return run
}

// Formats for people report themselves what is missing.
const FOR_PEOPLE = ['full', 'concise', 'html']

function sayMissing(run, format) {
  if (FOR_PEOPLE.includes(format)) return
  const { missing } = run
  if (!missing) return
  say(`--format ${format}: ${missing} finding${missing === 1 ? ' is' : 's are'} left out, by a limit or because another one explains them; the ` +
    'severest are kept')
}

function check(ll, operands, values) {
  const formats = outputs(values, 'full', ll.formats.check)
  const options = settings(values)
  const run = lint(ll, operands, options)
  const { exitCode, notices } = run.finish()
  for (const { name, file } of formats) {
    write(file, run.print(name))
    sayMissing(run, name)
  }
  if (options.verbosity > -2) {
    for (const { package: name, why, rules } of notices.slice(0, 3)) {
      say(`notice: package '${name}': ${rules} rule${rules === 1 ? ' was' : 's were'} skipped: ${why}`)
    }
    const more = notices.length - 3
    if (more > 0) say(`notice: rules were skipped for ${more} more package${more === 1 ? '' : 's'}; lightlint packages shows why`)
  }
  return exitCode
}

function dump(ll, [path], values) {
  const [{ name, file }] = outputs(values, 'text', ll.formats.dump)
  const options = settings(values)
  const shown = path === '-' ? '<stdin>' : path
  const bytes = read(path)
  const { stable, script } = values
  write(file, ll.dump(shown, bytes, given({ ...options, format: name, stable, script })))
  const run = ll.run({ ...options, cross: false })
  run.add(shown, bytes)
  const whole = run.finish().summary.unchecked === 0
  if (!whole) say(`${shown}: not checked in full; lightlint check says why`)
  return whole ? CLEAN : TROUBLE
}

function diff(ll, [old, now], values) {
  const [{ name, file }] = outputs(values, 'text', ll.formats.diff)
  const side = (path) => (path === '/dev/null' ? [null, null] : [path, read(path)])
  const text = ll.diff(...side(old), ...side(now), name, settings(values))
  write(file, text)
  return ll.diff(...side(old), ...side(now), 'text', settings(values)) ? FINDINGS : CLEAN
}

function packages(ll, operands, values) {
  const [{ name, file }] = outputs(values, 'text', ll.formats.packages)
  const run = lint(ll, operands, settings(values))
  write(file, run.packages(name))
  return run.finish().exitCode === TROUBLE ? TROUBLE : CLEAN
}

// Commands that print a text of their own. COMMANDS: [least operands, most, function].
const page = (print) => (ll, operands, values) => {
  const [{ name, file }] = outputs(values, 'text', ['text', 'json', 'markdown'])
  write(file, print(ll, name, operands, values))
  return CLEAN
}
const COMMANDS = {
  check: [1, Infinity, check],
  dump: [1, 1, dump],
  diff: [2, 2, diff],
  packages: [1, Infinity, packages],
  explain: [1, 1, page((ll, format, [rule], values) => ll.explain(rule, format, settings(values)))],
  rules: [0, 0, page((ll, format, _, values) => ll.printRules(format, settings(values)))],
  fields: [0, 1, page((ll, format, [family]) => ll.printFields(format, family))],
  version: [0, 0, page((ll, format, _, values) => (values.verbose || format === 'json' ? ll.printVersion(format) : `lightlint ${ll.version}\n`))],
}

async function main(words) {
  const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true })
  if (values.help || positionals[0] === 'help' || !words.length) {
    process[words.length ? 'stdout' : 'stderr'].write(HELP)
    return words.length ? CLEAN : TROUBLE
  }
  const name = values.version ? 'version' : Object.hasOwn(COMMANDS, positionals[0]) ? positionals.shift() : 'check'
  const [least, most, command] = COMMANDS[name]
  if (!values.version && (positionals.length < least || positionals.length > most)) {
    refuse(`${name}: expected ${least === most ? least : `${least} or more`} operand${least === 1 ? '' : 's'}, got ${positionals.length}; see lightlint --help`)
  }
  return command(await load(), positionals, values)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const known = error instanceof LightlintError || error.code?.startsWith('ERR_PARSE_ARGS')
  say(known ? error.message : error.path ? `${error.path}: ${reason(error)}` : error.stack)
  process.exitCode = TROUBLE
}
