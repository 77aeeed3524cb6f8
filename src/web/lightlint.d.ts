/** A level of findings. */
export type Severity = 'error' | 'warning' | 'note'
export type CheckFormat =
  | 'full' | 'concise' | 'json' | 'jsonl' | 'sarif' | 'sarif-github' | 'github' | 'gitlab' | 'junit' | 'markdown' | 'html' | 'statistics' | 'sweep'

/** Which rules are in force. Selectors: id, id prefix, name, glob, tag:NAME, all. */
export interface RuleOptions {
  select?: string[]
  ignore?: string[]
  /** By selector. */
  severity?: Record<string, Severity | 'off'>
  /** Rules of your own, in YAML. */
  packs?: { name: string; text: string | Uint8Array }[]
}

/** How files are linted. */
export interface LintOptions extends RuleOptions {
  /** What a bare lights section is of. */
  game?: 'auto' | 'mp1' | 'mp2' | 'mp3'
  /** The lowest severity that makes exit code 1; 'warning' unless told otherwise. */
  failOn?: Severity | 'never'
  /** That part of a file cannot be checked is fine. */
  allowUnsupported?: boolean
}

/** What a run shows. */
export interface PrintOptions {
  /** No folding, no limits. */
  all?: boolean
  /** Findings shown; 0: all. 'full' and 'concise' show 100 of a rule and 1000 of a file unless told otherwise. */
  maxPerRule?: number
  maxPerFile?: number
  /** -2 only what fails, -1 no verdict when clean, 0, 1 clean files too. */
  verbosity?: number
  /** ANSI colours. */
  color?: boolean
}

export interface RunOptions extends LintOptions, PrintOptions {
  /** Files are checked against each other too; true unless told otherwise. */
  cross?: boolean
}

/** Where something else is that a finding is about. Offsets above 2^53 would be texts; no file is so large here. */
export interface Place {
  offset: number
  length: number
  path?: string
  text?: string
  file?: string
  [more: string]: unknown
}

/** A finding, as docs/schema/finding.schema.json describes it. */
export interface Finding {
  type: 'finding'
  file: string
  rule: string
  name: string
  severity: Severity
  offset: number
  length: number
  path: string
  record?: string
  field_type?: string
  value?: string
  raw?: string
  found?: string
  expected?: string
  message: string
  hint?: string
  why: string
  fix: string
  fingerprint: string
  related?: Place[]
  patch?: FindingPatch
  [more: string]: unknown
}

/** What a finding offers: `bytes`, or parts of which some are pieces of the file; neither where they are too many to print. */
export interface FindingPatch {
  tier: 'safe' | 'unsafe'
  offset: number
  removed: number
  bytes?: string
  size?: number
  parts?: ({ to: number; bytes: string } | { to: number; from: number; length: number })[]
  left_out?: string
}

/** The last line of the format jsonl. */
export interface Summary {
  type: 'summary'
  files: number
  members: number
  errors: number
  warnings: number
  notes: number
  files_with_findings: number
  unchecked: number
  partly?: number
  exit_code: number
  [more: string]: unknown
}

export interface Rule {
  id: string
  name: string
  family: string
  severity: Severity | 'off'
  default_severity: Severity | 'off'
  locked: boolean
  tags: string[]
  title: string
  why: string
  evidence: string
  fix: string
  target: string
  check: string
  patch: 'none' | 'safe' | 'unsafe'
}

export interface Layout {
  record: string
  family: string
  kind: string
  label: string
  meaning: string
  size: number
  endian: string
  fields: { name: string; offset: number; bytes: number; type: string; elements: number; role: string; meaning: string; certainty: string; source: string }[]
}

export interface Member {
  path: string
  offset: number
  length: number
}

/** A leaf: every byte of the file is in one. */
export interface TreeField {
  /** Of the field in its record; '' for a gap and unparsed bytes. */
  name: string
  path: string
  offset: number
  length: number
  /** 'magic', 'size', 'offset', ... 'gap', 'unparsed'; '' for plain data. */
  role: string
  type: string
  /** Not there for bytes that are not looked into. Hashes and large numbers are texts. */
  value?: number | string | (number | string)[]
  /** Of a field that points to something: the path of that. */
  leadsTo?: string
  meaning: string
  certainty: string
  source: string
}

export interface TreeRecord {
  path: string
  /** Name of the layout; null: a gap or unparsed bytes. */
  record: string | null
  /** What offsets count in: null, the file, or the name of a region. */
  region: string | null
  offset: number
  length: number
  label: string
  meaning: string
  endian: string
  fields: TreeField[]
}

/** A place, direction or corner: X Y Z. */
export type Vector = [number, number, number]

/** A body around the position of a thing, or a polygon. Lengths are in the unit of the space; all numbers can be drawn. */
export type Solid = { /** The inner one of two. */ dashed?: true } & (
  | { kind: 'sphere'; reach: number }
  /** Around the direction of the thing; angle: full, in degrees, 0 to 180. */
  | { kind: 'cone'; reach: number; angle: number }
  /** Corners, counted from the position before the box is turned; rotation: quaternion X Y Z W. */
  | { kind: 'box'; low: Vector; high: Vector; rotation: [number, number, number, number] }
  | { kind: 'polygon'; corners: Vector[] }
)

/** A record that looks like something. */
export interface Thing {
  record: string
  path: string
  /** What its offset counts in, where that is not the file. */
  region?: string
  offset: number
  /** What it is one of: 'Spot lights'; and their sign. */
  layer: string
  glyph: string
  /** Of a layer that is shown where there is nothing else, or on demand. */
  aside?: true
  /** What it calls itself. */
  name?: string
  /** Red, green, blue, 0 to 255. */
  color?: Vector
  /** Not there: it has no place that can be drawn. Of a polygon: the middle of its corners. */
  at?: Vector
  /** Of length 1. */
  toward?: Vector
  solids: Solid[]
}

/** What of a file has a place, in the axes of the game. */
export interface Space {
  /** Number of the axis that points up. */
  up: 1 | 2
  unit: string
  things: Thing[]
}

export interface Tree {
  file: string
  format: string
  size: number
  member?: string
  /** Of a member: where it begins in the archive. */
  offset?: number
  records: TreeRecord[]
  /** What the file holds in another form: the bytes that hold it, how large it is, and it. */
  regions: { name: string; offset: number; length: number; size: number; bytes: Uint8Array }[]
  members: Member[]
}

/** A patch, as docs/schema/fix.schema.json describes it. */
export interface Patch {
  type: 'patch' | 'left'
  file: string
  rule: string
  name: string
  severity: Severity
  path: string
  tier: 'safe' | 'unsafe'
  offset: number
  was: string
  bytes: string
  [more: string]: unknown
}

export interface Fixed {
  bytes: Uint8Array
  /** Counts before and after; null: there was no patch. */
  file: Record<string, unknown> | null
  applied: Patch[]
  left: Patch[]
  text: string
  /** Of the dumps before and after. */
  diff: string
}

export interface RunResult {
  findings: Finding[]
  /** Those of rules on several files, which are also among `findings`. */
  across: Finding[]
  summary: Summary
  exitCode: 0 | 1 | 2
  /** Packages for which rules were skipped: what is missing, why and what to do, how many rules. */
  notices: { package: string; missing: string; why: string; rules: number }[]
}

/** Files that are checked together. It keeps what was added, which must not change, until free(). */
export declare class Run {
  add(path: string, bytes: Uint8Array | ArrayBuffer): { findings: Finding[] }
  addUnreadable(path: string, reason: string): { findings: Finding[] }
  addName(path: string): void
  addFolder(path: string): void
  finish(): RunResult
  print(format: CheckFormat, options?: PrintOptions): Uint8Array
  /** Findings that the last print() left out, by a limit or because another one explains them. */
  readonly missing: number
  packages(format?: 'text' | 'json' | 'dot'): string
  free(): void
}

export declare class LightlintError extends Error {
  /** The module has stopped: load() it anew. */
  fatal: boolean
}

type Bytes = Uint8Array | ArrayBuffer
type FileOptions = LintOptions & { member?: string }

export declare class Lightlint {
  version: string
  about: Record<string, unknown>
  families: string[]
  extensions: string[]
  formats: Record<'check' | 'fix' | 'diff' | 'dump' | 'packages', string[]>
  rules(options?: RuleOptions): Rule[]
  fields(family?: string): Layout[]
  explain(rule: string, format?: 'text' | 'json' | 'markdown', options?: RuleOptions): string
  printRules(format?: 'text' | 'json' | 'markdown', options?: RuleOptions): string
  printFields(format?: 'text' | 'json' | 'ksy' | 'hexpat', family?: string): string
  printVersion(format?: 'text' | 'json'): string
  sort(paths: string[], options?: { all?: boolean }): { add: string[]; names: string[]; folders: string[] }
  /** Is a file that sort() leaves out to be added all the same? It is an archive of the game that cannot be opened, by its name and its first bytes (four or more). */
  isUnreadArchive(path: string, first?: Bytes): boolean
  run(options?: RunOptions): Run
  members(path: string, bytes: Bytes, options?: LintOptions): Member[]
  dump(path: string, bytes: Bytes, options?: FileOptions & { format?: 'text' | 'json'; stable?: boolean; script?: string; limit?: number }): string
  tree(path: string, bytes: Bytes, options?: FileOptions & { limit?: number }): Tree
  space(path: string, bytes: Bytes, options?: FileOptions & { limit?: number }): Space
  fix(path: string, bytes: Bytes, options?: LintOptions & { unsafe?: boolean; rules?: string[]; fingerprints?: string[]; written?: boolean }): Fixed
  diff(pathA: string | null, bytesA: Bytes | null, pathB: string | null, bytesB: Bytes | null, format?: 'text' | 'json' | 'markdown', options?: FileOptions & { heads?: boolean }): string
  build(json: string | Uint8Array): { bytes: Uint8Array; format: string; name: string; notes: string[] }
}

export declare function load(source?: Bytes | (WebAssembly.Module & object), options?: { onInstance?: (instance: WebAssembly.Instance) => void }): Promise<Lightlint>
