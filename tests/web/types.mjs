/* Checks lightlint.d.ts with the TypeScript compiler: node types.mjs NPM_PACKAGE. Exits with 77 if there is no
 * TypeScript or no package. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url)), compiler = join(here, '../../src/web/node_modules/typescript/bin/tsc'), given = resolve(process.argv[2]);
for (const path of [compiler, join(given, 'lightlint.wasm')]) {
    if (!existsSync(path)) {
        console.log(`skipped: no ${path} (./dev page)`);
        process.exit(77);
    }
}

const scratch = mkdtempSync(join(tmpdir(), 'lightlint-types-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
cpSync(join(here, 'types'), scratch, { recursive: true });
mkdirSync(join(scratch, 'node_modules'));
symlinkSync(given, join(scratch, 'node_modules/lightlint'));

const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', '--pretty', 'false'];

/* Lines of a sample with errors, and the compiler's output. */
function compile(name) {
    const { stdout } = spawnSync(process.execPath, [compiler, ...OPTIONS, name], { cwd: scratch, encoding: 'utf8' });
    const lines = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, file, line]) => (file === name ? Number(line) : file));
    return { lines: [...new Set(lines)], stdout };
}

const good = compile('good.mts');
assert.equal(good.stdout, '');

const bad = compile('bad.mts'), wrong = readFileSync(join(scratch, 'bad.mts'), 'utf8').split('\n').flatMap((line, i) => (line.endsWith('// wrong') ? [i + 1] : []));
assert.deepEqual(bad.lines, wrong, bad.stdout);

/* The sample uses every export and member of the module, so all have types. */
const module = await import(pathToFileURL(join(given, 'lightlint.mjs'))), sample = readFileSync(join(scratch, 'good.mts'), 'utf8'), ll = await module.load();
const own = (object) => [...Object.keys(object), ...Object.getOwnPropertyNames(Object.getPrototypeOf(object))].filter((name) => name !== 'constructor');
const unused = [...Object.keys(module).filter((name) => !new RegExp(`\\b${name}\\b`).test(sample)),
    ...own(ll).filter((name) => !sample.includes(`ll.${name}`)), ...own(ll.run()).filter((name) => !sample.includes(`run.${name}`))];
const text = readFileSync(join(given, 'lightlint.d.ts'), 'utf8'), [, formats] = /^export type CheckFormat =([^]*?)\n\n/m.exec(text);
assert.deepEqual([...formats.matchAll(/'([^']+)'/g)].map(([, name]) => name).sort(), [...ll.formats.check].sort());
const declared = [...text.matchAll(/^export (?:type|interface|declare class|declare function) (\w+)/gm)].map(([, name]) => name);
assert.deepEqual([unused, declared.filter((name) => !new RegExp(`\\b${name}\\b`).test(sample))], [[], []]);
console.log(`ok types: ${declared.length} exports, ${wrong.length} mistakes`);
