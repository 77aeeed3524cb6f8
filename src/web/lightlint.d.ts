/** Severity of a finding. */
export type Severity = 'error' | 'warning' | 'note'
export type CheckFormat =
  | 'full' | 'concise' | 'json' | 'jsonl' | 'sarif' | 'sarif-github' | 'github' | 'gitlab' | 'junit' | 'markdown' | 'html' | 'statistics'
  | 'statistics-markdown' | 'statistics-html' | 'statistics-json' | 'sweep'

/** Which rules are in force. A selector is an id, id prefix, name, glob, tag:NAME or all. */
export interface RuleOptions {
  select?: string[]
  ignore?: string[]
  /** Severity by selector. */
  severity?: Record<string, Severity | 'off'>
  /** Packs of your own rules, in YAML. */
  packs?: { name: string; text: string | Uint8Array }[]
}

/** How files are linted. */
export interface LintOptions extends RuleOptions {
  /** Game of a bare lights section; 'auto' detects it by content. */
  game?: 'auto' | 'mp1' | 'mp2' | 'mp3'
  /** Lowest severity that gives exit code 1; default 'warning'. */
  failOn?: Severity | 'never'
  /** Parts of a file that cannot be checked are no failure. */
  allowUnsupported?: boolean
}

/** What a run prints. */
export interface PrintOptions {
  /** No folding, no limits. */
  all?: boolean
  /** Most findings shown; 0: all. By default, 'full' and 'concise' show 100 per rule and 1000 per file, other formats
   * all. */
  maxPerRule?: number
  maxPerFile?: number
  /** -2: only what fails; -1: no verdict if clean; 0; 1: also clean files. */
  verbosity?: number
  /** ANSI colours. */
  color?: boolean
}

export interface RunOptions extends LintOptions, PrintOptions {
  /** Check files against each other, too; default true. */
  cross?: boolean
}

/** A place related to a finding. Offsets above 2^53 would be strings, but no file here is that large. */
export interface Place {
  offset: number
  length: number
  path?: string
  text?: string
  file?: string
  [more: string]: unknown
}

/** A finding as in docs/schema/finding.schema.json. */
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

/** The patch of a finding: `bytes`, or `parts` of which some are copied from the file; neither if they are too long to
 * print. */
export interface FindingPatch {
  tier: 'safe' | 'unsafe'
  offset: number
  removed: number
  bytes?: string
  size?: number
  parts?: ({ to: number; bytes: string } | { to: number; from: number; length: number })[]
  left_out?: string
}

/** Last line of the format jsonl. */
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

/** A leaf. Every byte of the file is in exactly one. */
export interface TreeField {
  /** Name in its record; '' for a gap and unparsed bytes. */
  name: string
  path: string
  offset: number
  length: number
  /** 'magic', 'size', 'offset', ... 'gap', 'unparsed'; '' for plain data. */
  role: string
  type: string
  /** Absent for bytes that are not decoded. Hashes and large numbers are strings. */
  value?: number | string | (number | string)[]
  /** For a field that points to something: path of the target. */
  leadsTo?: string
  meaning: string
  certainty: string
  source: string
}

export interface TreeRecord {
  path: string
  /** Name of the layout; null: a gap or unparsed bytes. */
  record: string | null
  /** Base of the offsets: null for the file, or the name of a region. */
  region: string | null
  offset: number
  length: number
  label: string
  meaning: string
  endian: string
  fields: TreeField[]
}

/** A position, direction or corner: X Y Z. */
export type Vector = [number, number, number]

/** A shape at the position of a thing, or a polygon. Lengths are in the unit of the space; all numbers are finite. */
export type Solid = { /** The inner one of two. */ dashed?: true } & (
  | { kind: 'sphere'; reach: number }
  /** Along the direction of the thing; angle: full, in degrees, 0 to 180. */
  | { kind: 'cone'; reach: number; angle: number }
  /** Corners relative to the position, before rotation; rotation: quaternion X Y Z W. */
  | { kind: 'box'; low: Vector; high: Vector; rotation: [number, number, number, number] }
  | { kind: 'polygon'; corners: Vector[] }
)

/** A record that can be drawn. */
export interface Thing {
  record: string
  path: string
  /** Region of the offset; absent: the file. */
  region?: string
  offset: number
  /** Layer, such as 'Spot lights', and its symbol. */
  layer: string
  glyph: string
  /** The layer is shown only if there is no other, or on demand. */
  aside?: true
  /** Its own name. */
  name?: string
  /** Red, green, blue, 0 to 255. */
  color?: Vector
  /** Position; absent if it has none that can be drawn. For a polygon: the centre of its corners. */
  at?: Vector
  /** Unit vector. */
  toward?: Vector
  solids: Solid[]
}

/** The things with a position in a file, in the axes of the game. */
export interface Space {
  /** Index of the axis that points up. */
  up: 1 | 2
  unit: string
  things: Thing[]
}

/** How draw() shows a file. Lengths on the drawing are pixels, angles radians. */
export interface Camera {
  width?: number
  height?: number
  /** By yaw (0 to 2 pi), then pitch (-pi / 2 to pi / 2); default: seen from above. */
  turned?: boolean
  yaw?: number
  pitch?: number
  /** Pixels per unit; 0, the default: everything fits. */
  zoom?: number
  /** Position in the middle, unless zoom is 0. */
  middle?: Vector
  /** Then moves what is seen, to the right and down. */
  move?: [number, number]
  /** Fit also what is far from the rest. */
  far?: boolean
  /** Layers that are not drawn, as bits, in the order in which they begin in Space.things. */
  hidden?: number
  /** Index of a thing that is emphasized. */
  chosen?: number
}

export interface Tree {
  file: string
  format: string
  size: number
  member?: string
  /** For a member: its offset in the archive. */
  offset?: number
  records: TreeRecord[]
  /** Regions: data that the file holds compressed. offset and length: the bytes that hold it; size and bytes:
   * decompressed. */
  regions: { name: string; offset: number; length: number; size: number; bytes: Uint8Array }[]
  members: Member[]
}

/** A patch as in docs/schema/fix.schema.json. */
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
  /** Difference of the text dumps. */
  diff: string
}

export interface RunResult {
  findings: Finding[]
  /** Findings across files, which are also in `findings`. */
  across: Finding[]
  summary: Summary
  exitCode: 0 | 1 | 2
  /** Packages with skipped rules: what is missing, why and what to do, number of rules. */
  notices: { package: string; missing: string; why: string; rules: number }[]
}

/** A run over files that are checked together. It keeps references to the bytes, which must not change, until
 * free(). */
export declare class Run {
  add(path: string, bytes: Uint8Array | ArrayBuffer): { findings: Finding[] }
  addUnreadable(path: string, reason: string): { findings: Finding[] }
  addName(path: string): void
  addFolder(path: string): void
  finish(): RunResult
  print(format: CheckFormat, options?: PrintOptions): Uint8Array
  /** Number of findings that the last print() left out, because of a limit or because another one explains them. */
  readonly missing: number
  packages(format?: 'text' | 'json' | 'dot'): string
  free(): void
}

export declare class LightlintError extends Error {
  /** The module has stopped and must be loaded again. */
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
  /** Should a file that sort() leaves out be added? True for an archive of the game that cannot be opened, by its name
   * and its first bytes (four or more). */
  isUnreadArchive(path: string, first?: Bytes): boolean
  run(options?: RunOptions): Run
  members(path: string, bytes: Bytes, options?: LintOptions): Member[]
  dump(path: string, bytes: Bytes, options?: FileOptions & { format?: 'text' | 'json'; stable?: boolean; script?: string; limit?: number }): string
  tree(path: string, bytes: Bytes, options?: FileOptions & { limit?: number }): Tree
  space(path: string, bytes: Bytes, options?: FileOptions & { limit?: number }): Space
  /** A <figure> with an <svg>, or '' if nothing has a position. A point is a <g class="dot" data-thing="INDEX">;
   * data-camera of the <svg> holds zoom and middle. */
  draw(path: string, bytes: Bytes, options?: FileOptions & Camera): string
  fix(path: string, bytes: Bytes, options?: LintOptions & { unsafe?: boolean; rules?: string[]; fingerprints?: string[]; written?: boolean }): Fixed
  diff(pathA: string | null, bytesA: Bytes | null, pathB: string | null, bytesB: Bytes | null, format?: 'text' | 'json' | 'markdown', options?: FileOptions & { heads?: boolean }): string
  build(json: string | Uint8Array): { bytes: Uint8Array; format: string; name: string; notes: string[] }
}

export declare function load(source?: Bytes | (WebAssembly.Module & object), options?: { onInstance?: (instance: WebAssembly.Instance) => void }): Promise<Lightlint>
