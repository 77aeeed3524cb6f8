/* Makes lightlint.html: node build.mjs WASM OUTPUT. One file, whose policy names the hashes of its own script and style:
 * nothing else runs in it, and nothing leaves it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url)), page = join(here, 'page'), corpus = join(here, '..', '..', 'corpus');
const PAGE_MAX = 2 * 1024 * 1024;
const [, , wasm, output] = process.argv;
if (!output) {
    console.error('usage: node build.mjs WASM OUTPUT');
    process.exit(2);
}

const options = { bundle: true, minify: true, write: false, legalComments: 'none', target: 'es2022', charset: 'utf8', logLevel: 'warning' };
const text = async (more) => (await build({ ...options, ...more })).outputFiles[0].text.trim();

/* Files of the demo, as the corpus has them. */
function filesBelow(directory, prefix) {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(directory, entry.name), `${prefix}${entry.name}/`)
            : [{ path: prefix + entry.name, bytes: readFileSync(join(directory, entry.name)).toString('base64') }]));
}

const demo = [...filesBelow(join(corpus, 'demo'), 'demo/'), ...filesBelow(join(corpus, 'demo-mod', 'bad-mod-array-file'), 'demo-mod/')];

/* Texts that are made here and imported by name. */
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

const hash = (source) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
const parts = {
    POLICY: ["default-src 'none'", "connect-src 'none'", "base-uri 'none'", "form-action 'none'", 'img-src data:', 'worker-src blob:',
        `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`].join('; '),
    STYLE: style, SCRIPT: script, LIBRARY: gzipSync(readFileSync(wasm), { level: 9 }).toString('base64'),
};
const html = readFileSync(join(page, 'index.html'), 'utf8').replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
if (Buffer.byteLength(html) > PAGE_MAX) {
    console.error(`build.mjs: the page has ${Buffer.byteLength(html)} bytes, and may have ${PAGE_MAX}`);
    process.exit(1);
}
writeFileSync(output, html);
