/* HTML of censuses and sweeps in a browser: node surveys.mjs LIGHTLINT. Exits with 77 if there is no browser. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brokenWords, launch, root } from './browser.mjs';

const program = resolve(process.argv[2]), scratch = mkdtempSync(join(tmpdir(), 'lightlint-surveys-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const demo = join(root, 'corpus/demo'), mod = join(root, 'corpus/demo-mod'), other = join(scratch, 'other');
cpSync(demo, other, { recursive: true });
cpSync(join(demo, 'bad-tail-range.grxla'), join(other, 'good-probes.grxla'));
cpSync(join(demo, 'good-map.rgm'), join(other, 'bad-rasb-total.rgm'));
rmSync(join(other, 'bad-occ-w.grxoc'));
const reports = Object.entries({ census: ['census', demo, mod], sweep: ['sweep', demo, mod], diff: ['sweep', '--diff', demo, other] }).map(([name, words]) => {
    const path = join(scratch, `${name}.html`), run = spawnSync(program, [...words, '--isolated', '--format', `html:${path}`], { encoding: 'utf8' });
    assert.ok([0, 1, 2].includes(run.status), `${name}: ${run.status} ${run.stderr}`);
    return { name, path };
});

const browser = await launch(reports[0].path);
const axe = readFileSync(join(root, 'src/web/node_modules/axe-core/axe.min.js'), 'utf8');

async function open(path, { width = 1280, scheme = 'light', media = 'screen' } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    const page = await context.newPage(), trouble = [];
    page.on('request', (request) => request.url() === pathToFileURL(path).href || trouble.push(request.url()));
    page.on('console', (message) => trouble.push(message.text()));
    await page.emulateMedia({ media, colorScheme: scheme });
    await page.goto(pathToFileURL(path).href);
    return Object.assign(page, { trouble });
}

const folded = (page) => page.$$eval('details', (all) => all.filter((one) => !one.lastElementChild.checkVisibility({ contentVisibilityAuto: true })).length);

const tests = {
    async 'axe finds no violation and nothing is wider than the window, light and dark, wide and narrow'() {
        for (const { name, path } of reports) {
            for (const scheme of ['light', 'dark']) {
                for (const width of [1280, 360]) {
                    const page = await open(path, { scheme, width }), where = `${name} ${scheme} ${width}`;
                    await page.$$eval('details', (all) => all.forEach((one) => { one.open = true; }));
                    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), where);
                    assert.ok(await page.locator('svg rect').count() > 3, where);
                    const found = await page.evaluate(`${axe}; axe.run({resultTypes: ['violations']})`);
                    assert.deepEqual(found.violations.map((one) => `${where}: ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`), []);
                    assert.deepEqual(page.trouble, [], where);
                    await page.context().close();
                }
            }
        }
    },

    async 'no word is broken over lines, wide and narrow'() {
        for (const { name, path } of reports) {
            for (const width of [1280, 800, 500]) {
                const page = await open(path, { width });
                await page.$$eval('details', (all) => all.forEach((one) => { one.open = true; }));
                assert.deepEqual(await page.evaluate(brokenWords, 'th, td'), [], `${name} ${width}`);
                await page.context().close();
            }
        }
    },

    async 'a record unfolds when its name is followed'() {
        const page = await open(reports[0].path), all = await page.locator('details').count();
        assert.equal(await folded(page), all);
        await page.click('table a >> nth=3');
        assert.equal(await folded(page), all - 1);
        assert.equal(await page.locator('details[open] summary b').innerText(), await page.locator('table a').nth(3).innerText());
        await page.context().close();
    },

    async 'on paper everything is unfolded, and as wide as the paper'() {
        const page = await open(reports[0].path, { width: 720, media: 'print' });
        assert.ok(await page.locator('details').count() > 20);
        assert.equal(await folded(page), 0);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.context().close();
    },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    try {
        await test();
        console.log(`ok: ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED: ${name}\n${error.stack}`);
    }
}
await browser.close();
process.exit(failed ? 1 : 0);
