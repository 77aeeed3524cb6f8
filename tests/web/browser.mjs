/* A browser for tests of the page: the system's Chromium, driven by its own protocol. Exits with 77 (skipped in
 * ctest) if something is missing. */
import { existsSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/* Each colour and each width once, where all four pairs would take too long. */
export const LOOKS = [{ scheme: 'light', width: 1280 }, { scheme: 'dark', width: 360 }];

export function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}

async function tool(name) {
    const path = join(root, 'src/web/node_modules', name);
    return existsSync(path) ? import(pathToFileURL(path)) : skip(`no ${name} (npm ci in src/web)`);
}

export async function launch(html) {
    const executablePath = browsers.find(existsSync) || skip('no Chromium');
    existsSync(html) || skip(`no ${html} (./dev page)`);
    const { chromium } = await tool('playwright-core/index.mjs');
    await tool('axe-core/axe.js');
    return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'] });
}

/* Opens a page and waits until it is ready. Requests other than for the page itself are collected in `requests`,
 * errors in `errors`. */
export async function openPage(browser, html, { width = 1280, height = 800, scheme = 'light', link = '' } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce', acceptDownloads: true });
    const page = await context.newPage(), requests = [], errors = [], url = pathToFileURL(html).href;
    await context.route('**', (route) => {
        const asked = route.request().url();
        asked.split('#')[0] === url || asked.startsWith('blob:') || asked.startsWith('data:') || requests.push(asked);
        return route.continue();
    });
    page.on('pageerror', (error) => errors.push(error.stack));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(url + link);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    return Object.assign(page, { requests, errors });
}

/* Drops files and folders of the disk as a user does: the browser makes the events. Returns the milliseconds from
 * the drop to the first finding, and to the end of the run. */
export async function drop(page, paths, { wait = true } = {}) {
    await page.evaluate(() => {
        const times = window.times = { drop: 0, first: 0, last: 0 };
        addEventListener('drop', () => times.drop = performance.now(), { capture: true, once: true });
        new MutationObserver(() => {
            times.first ||= times.drop && document.querySelector('.findings .row.finding') ? performance.now() : 0;
            times.last ||= times.drop && / checked, /.test(document.getElementById('status').textContent) ? performance.now() : 0;
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
        document.getElementById('status').textContent = '';
    });
    const client = await page.context().newCDPSession(page), data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await client.send('Input.dispatchDragEvent', { type, x: 100, y: 300, data });
    }
    if (wait) {
        await page.waitForFunction(() => window.times.last, null, { timeout: 60000 });
    }
    return page.evaluate(() => ({ first: window.times.first - window.times.drop, last: window.times.last - window.times.drop }));
}

/* Drops generated files, [{name, bytes}], with an event that the page cannot distinguish from a user's. */
export async function dropMade(page, files) {
    await page.evaluate((made) => {
        document.getElementById('status').textContent = '';
        const dataTransfer = new DataTransfer();
        made.forEach(({ name, bytes }) => dataTransfer.items.add(new File([Uint8Array.from(bytes)], name)));
        dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, files.map(({ name, bytes }) => ({ name, bytes: [...bytes] })));
    await page.waitForFunction(() => / checked, |^Nothing was opened/.test(document.getElementById('status').textContent), null, { timeout: 60000 });
}

/* Runs in a page: words in cells that are broken across lines. */
export function brokenWords(cells) {
    const broken = [];
    for (const cell of document.querySelectorAll(cells)) {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            for (const { 0: word, index } of texts.currentNode.data.matchAll(/[A-Za-z0-9]{3,18}/g)) {
                const range = document.createRange();
                range.setStart(texts.currentNode, index);
                range.setEnd(texts.currentNode, index + word.length);
                new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1 && broken.push(word);
            }
        }
    }
    return broken.slice(0, 8);
}

/* Mean brightness of 32 x 20 parts of a picture, which describes the layout independently of fonts. PNG with 8 bits
 * per channel. */
export function means(png) {
    const parts = [];
    let width = 0, height = 0, channels = 0;
    for (let at = 8; at < png.length;) {
        const length = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8), body = png.subarray(at + 8, at + 8 + length);
        if (type === 'IHDR') {
            [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
        } else if (type === 'IDAT') {
            parts.push(body);
        }
        at += length + 12;
    }
    return sumCells(unfilter(inflateSync(Buffer.concat(parts)), width, height, channels), width, height, channels);
}

function unfilter(raw, width, height, channels) {
    const line = width * channels, out = Buffer.alloc(line * height);
    for (let y = 0, at = 0; y < height; y++) {
        const filter = raw[at++];
        for (let x = 0; x < line; x++, at++) {
            const left = x >= channels ? out[y * line + x - channels] : 0, up = y ? out[(y - 1) * line + x] : 0;
            const corner = y && x >= channels ? out[(y - 1) * line + x - channels] : 0, guess = left + up - corner;
            const [a, b, c] = [left, up, corner].map((one) => Math.abs(guess - one));
            const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
            out[y * line + x] = raw[at] + [0, left, up, (left + up) >> 1, paeth][filter];
        }
    }
    return out;
}

function sumCells(pixels, width, height, channels) {
    const columns = 32, rows = 20, cells = Array.from({ length: columns * rows }, () => [0, 0]);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const cell = cells[Math.floor(y * rows / height) * columns + Math.floor(x * columns / width)], at = (y * width + x) * channels;
            cell[0] += (pixels[at] * 3 + pixels[at + 1] * 6 + pixels[at + 2]) / 10;
            cell[1]++;
        }
    }
    return cells.map(([sum, count]) => Math.round(sum / count));
}
