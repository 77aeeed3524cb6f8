/* Mistakes that the types must report: one on each line that ends with "wrong", and none elsewhere. */
import { load } from 'lightlint'
import { lint } from 'lightlint' // wrong
import * as program from 'lightlint/cli.mjs' // wrong

const ll = await load()
const bytes = new Uint8Array(8)
await load('lightlint.wasm') // wrong
ll.run({ failOn: 'warn' }) // wrong
ll.run({ game: 'mp4' }) // wrong
ll.run({ selects: ['GRX'] }) // wrong
ll.run().print('json', { colour: true }) // wrong
ll.sort([], { al: true }) // wrong
ll.space('a.grxla', bytes, { limits: 1 }) // wrong
ll.draw('a.grxla', bytes, { zooms: 1 }) // wrong
ll.run({ severity: { GRX610: 'fatal' } }) // wrong
ll.run().add('a.grxla') // wrong
ll.run().add('a.grxla', [1, 2, 3]) // wrong
ll.run().print('yaml') // wrong
ll.run().finish().exitcode // wrong
ll.printFields('hex') // wrong
ll.dump('a.grxla', bytes, { format: 'xml' }) // wrong
ll.tree('a.grxla', bytes).records[0].fields[0].value.length // wrong
ll.space('a.grxla', bytes).things[0].solids[0].reach // wrong
ll.fix('a.grxla', bytes, { rule: ['GRX610'] }) // wrong
ll.diff(undefined, null, 'a.grxla', bytes) // wrong
ll.build({ format: 'grx' }) // wrong
const level: 'warning' = ll.run().add('a.grxla', bytes).findings[0].severity // wrong
console.log(lint, program, level, ll.rules()[0].fixes) // wrong
