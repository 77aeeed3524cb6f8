/* Builds lightlint.html and lightlint.vsix: node build.mjs WASM PAGE EXTENSION. The page is one file; its content
 * security policy allows only its own script and style, by hash, and no connections. The extension for Visual Studio
 * Code shows that page. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { load } from './lightlint.mjs';
import { manifestOf, vsix } from './vscode/vsix.mjs';

const here = dirname(fileURLToPath(import.meta.url)), top = join(here, '..', '..'), corpus = join(top, 'corpus');
const page = join(here, 'page'), extension = join(here, 'vscode');
const PAGE_MAX = 2 * 1024 * 1024;
const [, , wasm, output, packed] = process.argv;
if (!packed) {
    console.error('usage: node build.mjs WASM PAGE EXTENSION');
    process.exit(2);
}

const options = { bundle: true, minify: true, write: false, legalComments: 'none', target: 'es2022', charset: 'utf8', logLevel: 'warning' };
const text = async (more) => (await build({ ...options, ...more })).outputFiles[0].text.trim();

/* Files of the demo, from the corpus. */
function filesBelow(directory, prefix) {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(directory, entry.name), `${prefix}${entry.name}/`)
            : [{ path: prefix + entry.name, bytes: readFileSync(join(directory, entry.name)).toString('base64') }]));
}

const demo = [...filesBelow(join(corpus, 'demo'), 'demo/'), ...filesBelow(join(corpus, 'demo-mod', 'bad-mod-array-file'), 'demo-mod/'),
    ...filesBelow(join(corpus, 'demo-scene'), 'demo-scene/')];

/* An esbuild plugin for modules whose text is generated here. */
const made = (modules) => ({
    name: 'made',
    setup(builder) {
        builder.onResolve({ filter: /^(worker-text|demo-files)$/ }, ({ path }) => ({ path, namespace: 'made' }));
        builder.onLoad({ filter: /.*/, namespace: 'made' }, ({ path }) => modules[path]);
    },
});

const worker = await text({ entryPoints: [join(page, 'worker.mjs')], format: 'iife', define: { 'import.meta.url': '""' } });
const script = (await text({ entryPoints: [join(page, 'app.mjs')], format: 'iife', plugins: [made({
    'worker-text': { contents: worker, loader: 'text' }, 'demo-files': { contents: JSON.stringify(demo), loader: 'json' } })] }))
    .replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await text({ entryPoints: [join(page, 'style.css')] });

/* Of what the page and the library are made of. */
const licences = join(dirname(wasm), 'npm', 'licences');
const texts = [['lightlint', readFileSync(join(top, 'LICENSE'), 'utf8')],
    ...readdirSync(licences).sort().map((name) => [name, readFileSync(join(licences, name), 'utf8')])];

const hash = (source) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
const parts = {
    POLICY: ["default-src 'none'", "connect-src 'none'", "base-uri 'none'", "form-action 'none'", 'img-src data:', 'worker-src blob:',
        `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`].join('; '),
    LICENCES: texts.map(([name, licence]) => `${name}\n\n${licence}`).join(`\n${'-'.repeat(72)}\n`)
        .replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`),
    STYLE: style, SCRIPT: script, LIBRARY: gzipSync(readFileSync(wasm), { level: 9 }).toString('base64'),
};
const html = readFileSync(join(page, 'index.html'), 'utf8').replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
if (Buffer.byteLength(html) > PAGE_MAX) {
    console.error(`build.mjs: the page has ${Buffer.byteLength(html)} bytes, and may have ${PAGE_MAX}`);
    process.exit(1);
}
writeFileSync(output, html);

const code = await text({ entryPoints: [join(extension, 'extension.mjs')], format: 'cjs', platform: 'neutral', external: ['vscode'], define: { 'import.meta.url': '""' } });
const { homepage } = JSON.parse(readFileSync(join(dirname(wasm), 'npm', 'package.json'), 'utf8')); /* where the project is on the web, if it says so */
const manifest = manifestOf(readFileSync(join(extension, 'manifest.json'), 'utf8'), await load(readFileSync(wasm)), homepage);
writeFileSync(packed, vsix(manifest, [['extension.js', Buffer.from(code)], ['lightlint.html', Buffer.from(html)], ['lightlint.wasm', readFileSync(wasm)],
    ['README.md', readFileSync(join(extension, 'README.md'))], ['LICENSE.txt', readFileSync(join(top, 'LICENSE'))],
    ...texts.slice(1).map(([name, licence]) => [`licences/${name}.txt`, Buffer.from(licence)])]));
