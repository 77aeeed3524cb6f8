/* HTML reports in a browser: node report.mjs LIGHTLINT. axe finds no violation, nothing is wider than screen or
 * paper, there are no requests, and no content of a file is executed. Exits with 77 if there is no browser. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LOOKS, brokenWords, launch, root } from './browser.mjs';

const program = resolve(process.argv[2]), scratch = mkdtempSync(join(tmpdir(), 'lightlint-report-'));
const demo = join(root, 'corpus/demo');
const browser = await launch(program);
const axe = readFileSync(join(root, 'src/web/node_modules/axe-core/axe.min.js'), 'utf8');

function report(name, ...words) {
    const path = join(scratch, `${name}.html`);
    const { status, stderr } = spawnSync(program, ['--isolated', '--format', 'html', '-o', path, ...words], { encoding: 'utf8' });
    assert.ok(status <= 2, `${words}: ${stderr}`); /* 2: some files were not completely checked */
    return path;
}

async function open(path, { width, scheme = 'light', media = 'screen' }) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: media === 'screen' });
    const page = await context.newPage(), asked = [], errors = [], url = pathToFileURL(path).href;
    page.on('request', (request) => request.url().split('#')[0] === url || asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.emulateMedia({ media, colorScheme: scheme });
    await page.goto(url);
    return Object.assign(page, { asked, errors });
}

/* Elements beyond the right edge, except those in a box that scrolls. */
const beyond = (width) => [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > width + 1 && !one.closest('.scroll > *, svg'))
    .slice(0, 3).map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`);

async function scan(name, path) {
    for (const { scheme, width } of LOOKS) {
        const page = await open(path, { width, scheme }), where = `${name} ${scheme} ${width}`;
        assert.deepEqual(await page.evaluate(beyond, width), [], where);
        const found = await page.evaluate(`${axe}; axe.run({resultTypes: ['violations']})`);
        assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join('; ')}`), [], where);
        assert.deepEqual([page.asked, page.errors], [[], []], where);
        await page.context().close();
    }
    const page = await open(path, { width: 700, media: 'print' }); /* A4 without margins */
    assert.deepEqual(await page.evaluate(beyond, 700), [], `${name} printed`);
    assert.ok((await page.pdf()).length > 10000);
    await page.context().close();
}

function hostile() {
    const folder = join(scratch, 'hostile'), bytes = readFileSync(join(demo, 'bad-tail-range.grxla')), named = Buffer.from(bytes);
    mkdirSync(folder);
    named.write('<img src=x onerror=1>', 0x28, 'latin1'); /* inside the path of the DataSet */
    ['<img src=x onerror=window.hacked=1>', '"><script>window.hacked=1<\\script>', "'onmouseover='window.hacked=1", 'javascript:window.hacked=1', '&lt;b&gt;']
        .forEach((name, i) => writeFileSync(join(folder, `${name}.grxla`), i % 2 ? bytes : named));
    return folder;
}

const tests = {
    async 'one broken array'() {
        await scan('one', report('one', join(demo, 'bad-tail-range.grxla')));
    },
    async 'the demo folder'() {
        await scan('demo', report('demo', demo));
    },
    async 'no word of a table but of paths is broken over lines, wide and narrow'() {
        const path = report('words', demo);
        for (const width of [1280, 800, 620, 500, 360]) {
            const page = await open(path, { width });
            assert.deepEqual(await page.evaluate(brokenWords, 'thead th, td'), [], `at ${width}`);
            await page.context().close();
        }
    },
    async 'the demo mod, and a file that has lines'() {
        const mod = join(scratch, 'mod');
        mkdirSync(mod);
        copyFileSync(join(demo, 'bad-occ-w.grxoc'), join(mod, 'a.grxoc'));
        writeFileSync(join(mod, '.lightlint-ignore.yaml'), `suppress:\n- file: a.grxoc\n  rule: name-hash\n  reason: ${'Never was. '.repeat(40)}\n`);
        await scan('mod', report('mod', join(root, 'corpus/demo-mod'), mod));
    },
    async 'a run without findings'() {
        await scan('clean', report('clean', join(demo, 'good-spot-gz.grxla')));
    },
    async 'names and strings never become markup'() {
        const page = await open(report('hostile', '--all', hostile()), { width: 1280, media: 'screen' });
        assert.equal(await page.locator('img, script, main b b, iframe').count(), 0);
        assert.equal(await page.evaluate(() => window.hacked), undefined);
        assert.deepEqual([page.asked, page.errors], [[], []]);
        assert.equal(await page.locator('article').count(), 5 + 3); /* a changed path has a wrong hash as well */
    },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    await test().then(() => console.log(`ok ${name}`), (error) => {
        failed += 1;
        console.log(`FAILED ${name}\n${error.stack}`);
    });
}
await browser.close();
rmSync(scratch, { recursive: true });
process.exit(failed ? 1 : 0);
