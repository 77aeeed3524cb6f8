/* The unpacked extension for Visual Studio Code with a fake API: node vscode.mjs EXTENSION LIGHTLINT. Compares its
 * output with the program; shows its view in Chromium, if there is one, the way Visual Studio Code does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, root } from './browser.mjs';
import { activate, eventOf, fakeVscode, strict } from './fake_vscode.mjs';

const [extension, program] = process.argv.slice(2, 4).map((path) => resolve(path));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'lightlint-vscode-'))), folder = join(scratch, 'mods');
cpSync(join(root, 'corpus/demo'), join(folder, 'demo'), { recursive: true });
cpSync(join(root, 'corpus/demo-mod'), join(folder, 'demo-mod'), { recursive: true });

const { api, known } = fakeVscode(folder);
await activate(extension, api);
const [problems] = known.collections;
const uriOf = (path) => api.Uri.file(join(folder, path));
const wait = async (what, holds) => {
    for (let i = 0; i < 1000 && !holds(); i++) {
        await new Promise((done) => setTimeout(done, 10));
    }
    assert.ok(holds(), what);
};

const levels = { error: api.DiagnosticSeverity.Error, warning: api.DiagnosticSeverity.Warning, note: api.DiagnosticSeverity.Information };

/* [file, severity, rule, message] of each finding of the program. */
function native(...paths) {
    const { stdout } = spawnSync(program, ['--isolated', '--format', 'jsonl', ...paths], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });
    return stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter(({ type }) => type === 'finding')
        .map(({ file, severity, rule, message, fix }) => [file, levels[severity], rule, `${message}\nHelp: ${fix}`]);
}

const shown = () => [...problems.all].flatMap(([uri, list]) => list.map((one) => {
    assert.equal(one.source, 'lightlint');
    assert.deepEqual([one.range.numbers, one.code.target.scheme], [[0, 0, 0, 0], 'lightlint']);
    return [uri.slice(`file://${folder}/`.length), one.severity, one.code.value, one.message];
}));

/* A panel without a browser: collects what the extension sends. */
function makePanel() {
    const said = eventOf(), closed = eventOf(), posted = [];
    const webview = strict('Webview', { options: null, html: '', onDidReceiveMessage: said, postMessage: async (message) => posted.push(message) > 0 });
    return { panel: strict('WebviewPanel', { webview, onDidDispose: closed }), webview, said, closed, posted };
}

async function openView(path, made = makePanel()) {
    const provider = known.providers['lightlint.page'];
    await provider.resolveCustomEditor(provider.openCustomDocument(uriOf(path)), made.panel);
    return made;
}

const tests = {
    async 'each file of the demo by itself: the problems are the findings of the program'() {
        for (const name of readdirSync(join(folder, 'demo'))) {
            problems.clear();
            const view = await openView(`demo/${name}`);
            await wait(name, () => problems.all.size === 1);
            assert.deepEqual(shown(), native(`demo/${name}`));
            view.closed.fire();
        }
    },

    async 'the whole workspace by the command: findings across files too, and nothing left of what was'() {
        problems.set(uriOf('gone.grxla'), []);
        await known.commands['lightlint.checkWorkspace']();
        const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort(), expected = native('demo', 'demo-mod');
        assert.deepEqual(sorted(shown()), sorted(expected));
        assert.ok(expected.some(([, , rule]) => rule === 'MOD035'));
        assert.ok(!problems.all.has(uriOf('gone.grxla').toString()));
        assert.deepEqual(known.said.at(-1), ['status', `lightlint: ${problems.all.size} files, ${expected.length} findings`]);
    },

    async 'cancelled, it leaves the problems as they are'() {
        problems.clear();
        known.token.isCancellationRequested = true;
        await known.commands['lightlint.checkWorkspace']();
        known.token.isCancellationRequested = false;
        assert.equal(problems.all.size, 0);
    },

    async 'a file that changes is checked and sent anew, one that goes is forgotten'() {
        const path = 'demo/bad-tail-range.grxla', bytes = readFileSync(join(folder, path)), [watcher] = known.watchers, view = await openView(path);
        assert.ok(watcher.glob.test(path) && watcher.glob.test('a.fpkd') && !watcher.glob.test('a.txt'));
        await wait('problem', () => shown().length === 1);
        writeFileSync(join(folder, path), readFileSync(join(folder, 'demo/good-point-tpp.grxla')));
        watcher.onDidChange.fire(uriOf(path));
        await wait('clean', () => shown().length === 0 && view.posted.length === 1);
        assert.deepEqual([...view.posted[0].bytes], [...readFileSync(join(folder, 'demo/good-point-tpp.grxla'))]);
        view.closed.fire();
        writeFileSync(join(folder, path), bytes);
        watcher.onDidChange.fire(uriOf(path));
        await wait('problem again', () => shown().length === 1);
        watcher.onDidDelete.fire(uriOf(path));
        assert.equal(problems.all.size, 0);
        assert.equal(view.posted.length, 1, 'a closed view gets nothing');
    },

    async 'a file that cannot be read has a problem that says so'() {
        await assert.rejects(() => api.workspace.fs.stat(uriOf('none.grxla')));
        known.watchers[0].onDidCreate.fire(uriOf('none.grxla'));
        await wait('refusal', () => problems.all.size === 1);
        const [one] = problems.all.get(uriOf('none.grxla').toString());
        assert.match(one.message, /^Not checked: .*no such file/);
        problems.clear();
    },

    async 'why a rule is there'() {
        const text = await known.contents.lightlint.provideTextDocumentContent(api.Uri.from({ scheme: 'lightlint', path: '/GRX610.md' }));
        assert.equal(text, spawnSync(program, ['explain', '--format', 'markdown', 'GRX610'], { encoding: 'utf8' }).stdout);
    },

    async 'the view asks for its file, and saves where the user says'() {
        const path = 'demo/good-point-tpp.grxla', view = await openView(path), bytes = Uint8Array.of(1, 2, 3);
        assert.deepEqual(view.webview.options, { enableScripts: true, localResourceRoots: [] });
        assert.equal(view.webview.html, readFileSync(join(extension, 'lightlint.html'), 'utf8'));
        view.said.fire({ type: 'ready' });
        await wait('sent', () => view.posted.length === 1);
        assert.deepEqual(view.posted[0], { type: 'open', name: 'good-point-tpp.grxla', bytes: new Uint8Array(readFileSync(join(folder, path))) });
        view.said.fire({ type: 'save', name: 'new.grxla', bytes });
        await wait('asked', () => known.said.at(-1)[1] === join(folder, 'demo/new.grxla'));
        assert.ok(!readdirSync(join(folder, 'demo')).includes('new.grxla'), 'no place was chosen');
        known.saveTo = join(scratch, 'new.grxla');
        view.said.fire({ type: 'save', name: 'new.grxla', bytes });
        await wait('saved', () => readdirSync(scratch).includes('new.grxla'));
        assert.deepEqual([...readFileSync(known.saveTo)], [...bytes]);
    },
};

/* ---- in a browser ---- */

/* The page around a web view. It puts the API before the extension's HTML, writes that into a frame that may not
 * open windows or dialogs, sets the theme on the body, and passes messages on. */
const AROUND = `<!doctype html><body style="margin: 0"><script>
const STYLE = 'body { background-color: transparent; color: var(--vscode-editor-foreground); font-size: 20px; font-family: serif; margin: 0; padding: 0 20px; }'
    + 'code { color: rgb(1, 2, 3); background-color: rgb(250, 0, 0); padding: 1px 3px; } kbd { background-color: rgb(250, 0, 0); }';
const API = "globalThis.acquireVsCodeApi = (() => { const post = window.parent.__post.bind(window.parent); let acquired = false, state;"
    + "return () => { if (acquired) throw new Error('acquired twice'); acquired = true; return Object.freeze({ postMessage: (message) => post(message),"
    + "setState: (news) => state = news, getState: () => state }); }; })(); delete window.parent; delete window.top; delete window.frameElement;";
window.said = [];
window.__post = (message) => said.push(structuredClone(message));
window.show = (html, theme) => new Promise((done) => {
    const made = new DOMParser().parseFromString(html, 'text/html'), script = made.createElement('script'), style = made.createElement('style');
    script.textContent = API;
    style.textContent = STYLE;
    made.head.prepend(script);
    made.head.prepend(style);
    made.body.dataset.vscodeThemeKind = theme;
    made.documentElement.style.setProperty('--vscode-editor-foreground', 'rgb(1, 2, 3)');
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-same-origin allow-pointer-lock allow-scripts allow-downloads allow-forms');
    frame.style.cssText = 'display: block; border: 0; position: absolute; width: 100%; height: 100%';
    frame.src = './fake.html';
    frame.onload = () => {
        frame.onload = null;
        frame.contentDocument.open();
        frame.contentDocument.write('<!DOCTYPE html>\\n' + made.documentElement.outerHTML);
        frame.contentDocument.close();
        done();
    };
    document.body.append(frame);
});
window.hand = (message) => document.querySelector('iframe').contentWindow.postMessage(message, '*');
</script>`;
const HOME = 'https://view.test/';

/* A panel with its web view in a browser. */
async function browserPanel(browser, { theme, width = 1280 }) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' }), page = await context.newPage();
    const made = makePanel(), requests = [], errors = [];
    await context.route('**', (route) => {
        const url = route.request().url();
        if (url.startsWith(HOME)) {
            return route.fulfill({ contentType: 'text/html', body: url === HOME ? AROUND : '<!doctype html>' });
        }
        url.startsWith('blob:') || url.startsWith('data:') || requests.push(url);
        return route.continue();
    });
    page.on('pageerror', (error) => errors.push(error.stack));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(HOME);
    made.webview.postMessage = async ({ type, name, bytes }) => page.evaluate(([kind, title, numbers]) =>
        window.hand({ type: kind, name: title, bytes: Uint8Array.from(numbers) }), [type, name, [...bytes]]);
    const pump = async () => {
        const messages = await page.evaluate(() => window.said.splice(0).map((one) => ({ ...one, bytes: one.bytes && [...one.bytes] })));
        messages.forEach((one) => made.said.fire({ ...one, bytes: one.bytes && Uint8Array.from(one.bytes) }));
        return messages;
    };
    const openIn = async (path) => {
        await openView(path, made);
        await page.evaluate(([html, kind]) => window.show(html, kind), [made.webview.html, theme]);
        const view = page.frameLocator('iframe');
        for (let i = 0; i < 500 && !(await pump()).length; i++) {
            await page.waitForTimeout(20);
        }
        await view.locator('#foot:has-text("finding")').waitFor();
        return view;
    };
    return { page, openIn, pump, requests, errors };
}

const pictures = process.env.LIGHTLINT_PICTURES; /* folder for pictures to look at */

const inBrowser = {
    async 'the page in a web view: findings, bytes, the theme of the editor, and a fixed file that is handed over'(browser) {
        for (const [theme, background, width] of [['vscode-dark', 'rgb(20, 22, 25)', 1280], ['vscode-light', 'rgb(245, 245, 243)', 360]]) {
            const { page, openIn, pump, requests, errors } = await browserPanel(browser, { theme, width });
            const view = await openIn('demo/bad-tail-range.grxla'), text = (what) => view.locator(what).first().innerText();
            assert.equal(await view.locator('.findings .row.finding').count(), 1);
            assert.match(await text('.findings .row.finding'), /GRX405/);
            const look = await view.locator('body').evaluate((body) => [getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(body).padding,
                getComputedStyle(body).fontSize, getComputedStyle(document.querySelector('.finding code')).backgroundColor]);
            assert.deepEqual(look, [background, '0px', '13px', 'rgba(0, 0, 0, 0)']);
            assert.equal(await view.locator('button:visible', { hasText: /^Open|^Close all/ }).count(), 0, 'it opens what the editor opens');
            await view.locator('.findings .row.finding').click();
            await view.locator('text=Show the bytes').click();
            await view.locator('.hexlist .cell.bad').first().waitFor();
            pictures && await page.screenshot({ path: join(pictures, `${theme}-${width}.png`) });
            await view.locator('#tab-fix').click();
            await view.locator('text=Choose all').click();
            await view.locator('button:has-text("Apply 1")').click();
            await view.locator('text=Linted again: clean.').waitFor();
            known.saveTo = join(scratch, 'fixed.grxla');
            rmSync(known.saveTo, { force: true });
            await view.locator('text=Save the new file').click();
            await page.waitForFunction(() => window.said.length);
            await pump();
            await wait('saved', () => readdirSync(scratch).includes('fixed.grxla'));
            assert.equal(spawnSync(program, [known.saveTo]).status, 0);
            assert.deepEqual([requests, errors], [[], []]);
            await page.context().close();
        }
    },

    async 'a theme that changes, and a file that changes'(browser) {
        const { page, openIn, errors } = await browserPanel(browser, { theme: 'vscode-light' });
        const view = await openIn('demo/good-point-tpp.grxla');
        await view.locator('body').evaluate((body) => body.dataset.vscodeThemeKind = 'vscode-high-contrast');
        await view.locator('body').evaluate(() => new Promise((done) => requestAnimationFrame(done)));
        assert.equal(await view.locator(':root').evaluate((top) => getComputedStyle(top).backgroundColor), 'rgb(20, 22, 25)');
        const bytes = [...readFileSync(join(folder, 'demo/bad-tail-range.grxla'))];
        await page.evaluate((numbers) => window.hand({ type: 'open', name: 'good-point-tpp.grxla', bytes: Uint8Array.from(numbers) }), bytes);
        await view.locator('.findings .row.finding').first().waitFor();
        assert.match(await view.locator('#foot').innerText(), /1 file checked, 1 finding/);
        assert.deepEqual(errors, []);
    },
};

let failed = 0;
async function runAll(all, ...given) {
    for (const [name, run] of Object.entries(all)) {
        try {
            await run(...given);
            console.log(`ok ${name}`);
        } catch (error) {
            failed++;
            console.log(`FAILED ${name}\n${error.stack}`);
        }
    }
}

process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
await runAll(tests);
if (failed) {
    process.exit(1);
}
const browser = await launch(join(extension, 'lightlint.html'));
await runAll(inBrowser, browser);
await browser.close();
process.exit(failed ? 1 : 0);
