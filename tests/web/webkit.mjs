/* The page opened from disk in WebKit: node webkit.mjs LIGHTLINT.HTML. Driven by WebKitWebDriver (Debian:
 * webkit2gtk-driver) over HTTP, on an Xvfb screen. Exits with 77 if one of them is missing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { root, skip } from './browser.mjs';

const TRIES = 200, PAUSE = 100; /* milliseconds between tries */
const html = resolve(process.argv[2]), driver = '/usr/bin/WebKitWebDriver', screen = '/usr/bin/Xvfb';
const folders = readdirSync('/usr/lib').filter((name) => name.includes('-linux-'));
const browsers = folders.flatMap((name) => ['webkit2gtk-4.1', 'webkit2gtk-4.0', 'webkitgtk-6.0'].map((version) => `/usr/lib/${name}/${version}/MiniBrowser`));
const browser = browsers.find(existsSync) || skip('no MiniBrowser of WebKit (Debian: webkit2gtk-driver)');
for (const path of [driver, screen, html]) {
    existsSync(path) || skip(`no ${path} (./dev page)`);
}

const scratch = mkdtempSync(join(tmpdir(), 'lightlint-webkit-')), started = [];

function start(command, words, env, stdio = 'ignore') {
    const child = spawn(command, words, { env: { ...process.env, HOME: scratch, ...env }, stdio });
    started.push(child);
    return child;
}

async function freePort() {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address();
    await new Promise((done) => server.close(done));
    return port;
}

/* Repeats an attempt until its result is not empty. */
async function until(what, attempt) {
    for (let i = 0; i < TRIES; i++) {
        const value = await attempt();
        if (value) {
            return value;
        }
        await pause(PAUSE);
    }
    throw new Error(`waited ${TRIES * PAUSE / 1000} s for ${what}`);
}

/* Xvfb chooses the screen number and writes it into a pipe. */
async function startScreen() {
    const child = start(screen, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {}, ['ignore', 'ignore', 'ignore', 'pipe']);
    return new Promise((done, fail) => {
        child.stdio[3].once('data', (number) => done(`:${String(number).trim()}`));
        child.once('exit', () => fail(new Error('Xvfb ended')));
    });
}

async function openBrowser() {
    const port = await freePort(), display = await startScreen();
    start(driver, [`--port=${port}`, '--host=127.0.0.1'], { DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1', GDK_BACKEND: 'x11', WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' });
    const call = async (path, body) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
        const { value } = await answer.json();
        assert.ok(answer.ok, `${path}: ${value?.message}`);
        return value;
    };
    await until('the driver', () => call('/status').then(() => true, () => false));
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } } };
    const { sessionId, capabilities: have } = await call('/session', { capabilities }), session = `/session/${sessionId}`;
    console.log(`${have.browserName} ${have.browserVersion}`);
    return {
        go: (url) => call(`${session}/url`, { url }),
        run: (script, ...args) => call(`${session}/execute/sync`, { script, args }),
        element: async (using) => Object.values(await call(`${session}/element`, { using: 'css selector', value: using }))[0],
        type: (element, text) => call(`${session}/element/${element}/value`, { text }),
    };
}

const trouble = 'return document.getElementById("trouble")?.hidden === false ? document.getElementById("trouble").innerText : ""';
const status = 'return document.getElementById("status").textContent';

async function settled(page, done) {
    return until(String(done), async () => {
        assert.equal(await page.run(trouble), '');
        const words = await page.run(status);
        return done.test(words) && words;
    });
}

async function openPage(page) {
    await page.go(pathToFileURL(html).href);
    await until('the page', async () => {
        assert.equal(await page.run(trouble), '');
        return page.run('return document.documentElement.dataset.ready || ""');
    });
}

async function test(page) {
    await openPage(page);
    await page.run('document.getElementById("demo").click()');
    assert.match(await settled(page, / checked, /), /^[1-9]\d+ files checked, /, 'the demo is read');
    await openPage(page);
    await page.type(await page.element('#pick-files'), join(root, 'corpus/demo/bad-tail-range.grxla'));
    assert.equal(await settled(page, / checked, /), '1 file checked, 1 finding');
    await page.run('document.getElementById("tab-bytes").click()');
    await until('bytes', () => page.run('return document.querySelectorAll(".hexlist .row").length'));
    console.log('ok the page from the disk: the demo, a file that is chosen, and its bytes');
}

/* Stops the driver, which stops its browsers. */
async function stop() {
    for (const child of started.reverse()) {
        const ended = new Promise((done) => child.once('exit', done));
        child.exitCode === null && child.signalCode === null && child.kill() && await Promise.race([ended, pause(3000)]);
    }
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

try {
    await test(await openBrowser());
} catch (error) {
    console.log(`FAILED\n${error.stack}`);
    process.exitCode = 1;
}
await stop();
