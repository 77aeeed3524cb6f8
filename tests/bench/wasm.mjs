// Measures lightlint.wasm on files and folders, as measure.c measures a program: prints for each run wall time in ns,
// user and system time in us, peak memory of the process in KiB. The module is loaded, and run once, before the first
// measured run.
//
// usage: node wasm.mjs LIGHTLINT.wasm RUNS PATH...      exit: 0, or 1 if there were findings
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../src/web/lightlint.mjs'

const [wasm, runs, ...paths] = process.argv.slice(2)
const ll = await load(readFileSync(wasm))

function filesBelow(path) {
  return statSync(path).isDirectory() ? readdirSync(path).sort().flatMap((name) => filesBelow(join(path, name))) : [path]
}

function lint() {
  const run = ll.run()
  for (const path of paths.flatMap(filesBelow)) run.add(path, readFileSync(path))
  const { exitCode } = run.finish()
  run.free()
  if (exitCode !== 0) {
    console.error(`wasm.mjs: exit code ${exitCode} instead of 0`)
    process.exit(1)
  }
}

lint()
for (let i = 0; i < Number(runs); i++) {
  const began = process.hrtime.bigint()
  const before = process.cpuUsage()
  lint()
  const { user, system } = process.cpuUsage(before)
  console.log(`${process.hrtime.bigint() - began} ${user} ${system} ${process.resourceUsage().maxRSS}`)
}
