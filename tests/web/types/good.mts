/* Uses every export and member that lightlint.d.ts declares, as users do. */
import { load, Lightlint, LightlintError, Run } from 'lightlint'
import type {
  Camera, CheckFormat, Finding, FindingPatch, Fixed, Layout, LintOptions, Member, Patch, Place, PrintOptions, Rule, RuleOptions, RunOptions, RunResult, Severity, Solid, Space,
  Summary, Thing, Tree, TreeField, TreeRecord, Vector,
} from 'lightlint'

const bytes = new Uint8Array(8)
const ll: Lightlint = await load(bytes.buffer, { onInstance: (instance: WebAssembly.Instance) => void instance.exports })
await load()
await load(await WebAssembly.compile(bytes))

const words: string[] = [ll.version, ...ll.families, ...ll.extensions, ...ll.formats.check, ...ll.formats.fix, ...ll.formats.diff, ...ll.formats.dump, ...ll.formats.packages]
const about: unknown = ll.about['version']

const chosen: RuleOptions = { select: ['GRX'], ignore: ['GRX012'], severity: { GRX610: 'off' }, packs: [{ name: 'my.yaml', text: bytes }] }
const lint: LintOptions = { ...chosen, game: 'mp1', failOn: 'never', allowUnsupported: true }
const shown: PrintOptions = { all: true, maxPerRule: 0, maxPerFile: 0, verbosity: -2, color: false }
const options: RunOptions = { ...lint, ...shown, cross: false }

const rules: Rule[] = ll.rules(chosen)
const rule: [string, Severity | 'off', boolean, 'none' | 'safe' | 'unsafe'] = [rules[0].id, rules[0].severity, rules[0].locked, rules[0].patch]
const layouts: Layout[] = ll.fields('grx')
const certainty: string = layouts[0].fields[0].certainty
const pages: string[] = [ll.explain('GRX610', 'markdown', chosen), ll.printRules('json', chosen), ll.printFields('ksy', 'grx'), ll.printVersion('text')]
const { add, names, folders }: { add: string[]; names: string[]; folders: string[] } = ll.sort(['a.grxla'], { all: true })
const unread: boolean = ll.isUnreadArchive('00.dat', bytes) || ll.isUnreadArchive('mod.mgsv')

const run: Run = ll.run(options)
const found: Finding[] = run.add('a.grxla', bytes).findings
run.addUnreadable('b.grxla', 'No such file')
run.addName('c.txt')
run.addFolder('d_fpk')
const result: RunResult = run.finish()
const summary: Summary = result.summary
const code: 0 | 1 | 2 = result.exitCode
const across: Finding[] = result.across
const missing: string | undefined = result.notices[0]?.missing
const format: CheckFormat = 'sarif'
const printed: Uint8Array = run.print(format, shown)
const lacking: number = run.missing
const packages: string = run.packages('dot')
run.free()

const place: Place | undefined = found[0].related?.[0]
const severity: Severity = found[0].severity
const counts: number[] = [summary.files, summary.members, summary.errors, summary.warnings, summary.notes, summary.unchecked, summary.exit_code, place?.offset ?? 0]

const members: Member[] = ll.members('a.fpk', bytes, lint)
const dump: string = ll.dump('a.fpk', bytes, { member: members[0].path, format: 'json', stable: true, script: 'ACTOR', game: 'mp2', limit: 1000 })
const tree: Tree = ll.tree('a.grxla', bytes, { member: '/a', limit: 1000 })
const record: TreeRecord = tree.records[0]
const field: TreeField = record.fields[0]
const value: number | string | (number | string)[] | undefined = field.value
const region: string | null = record.region
const space: Space = ll.space('a.grxla', bytes, { game: 'mp1', limit: 1000 })
const thing: Thing | undefined = space.things.find(({ layer, at }) => layer === 'Spot lights' && at !== undefined)
const toward: Vector | undefined = thing?.toward
const solid: Solid | undefined = thing?.solids[0]
const reach: number = solid?.kind === 'cone' || solid?.kind === 'sphere' ? solid.reach : solid?.kind === 'box' ? solid.high[space.up] : solid?.corners.length ?? 0

const camera: Camera = { width: 600, height: 400, turned: true, yaw: 1, pitch: 0.5, zoom: 10, middle: thing?.at, move: [4, 0], far: true, hidden: 2, chosen: 0 }
const drawing: string = ll.draw('a.grxla', bytes, { ...camera, game: 'mp1', member: '/a' })
const fixed: Fixed = ll.fix('a.grxla', bytes, { unsafe: true, rules: ['GRX610'], fingerprints: [found[0].fingerprint], written: false })
const patch: Patch = fixed.applied[0] ?? fixed.left[0]
const offered: FindingPatch | undefined = found[0]?.patch
const difference: string = ll.diff('a.grxla', bytes, null, null, 'markdown', { heads: true })
const built: { bytes: Uint8Array; format: string; name: string; notes: string[] } = ll.build(dump)

try {
  ll.explain('NOPE')
} catch (error) {
  if (error instanceof LightlintError) console.log(error.fatal, error.message)
}
console.log(words, about, rule, certainty, pages, add, names, folders, code, across, missing, printed, lacking, packages, severity, counts, value, region, toward, reach, drawing, patch, difference, built)
