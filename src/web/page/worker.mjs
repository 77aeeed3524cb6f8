/* The library in its own thread. A request is {id, call, data}, its answer {id, result} or {id, error}; news of a run
 * are {news, ...}. Bytes of files are read when needed and not kept, so that even 5,000 files need little memory. */
import { load } from '../lightlint.mjs';
import { readBlob, takeAnswer } from './blob.mjs';
import { unpacked, zipFiles } from './zip.mjs';

const NEWS_EVERY = 60; /* milliseconds between news of a run */
const READ_AHEAD = 16, AHEAD_MAX = 1 << 20; /* files read ahead while one is linted, and the largest such file in
                                               bytes */

const DUMP_MAX = 64 << 20; /* bytes of a dump to show: about 400,000 fields */

const sources = new Map(); /* path -> {path, size, read()}; files to lint */
const names = new Set();   /* paths of files that exist but are not linted */
const folders = new Set();
const refused = new Map(); /* path -> why it is not linted */
let library, compiled, run = null, seen = null, turn = 0; /* seen: the last answer of `look` */

async function start(packed) {
    compiled = await WebAssembly.compile(await new Response(unpacked(packed, 'gzip')).arrayBuffer());
    library = await load(compiled);
    return { version: library.version, about: library.about, formats: library.formats, extensions: library.extensions };
}

/* Lints some files without using the result, while nothing else runs, so that the browser compiles frequent code. */
async function warm({ found }) {
    const mine = turn, spare = library.run({});
    for (const { path, file } of found) {
        const bytes = new Uint8Array(await readBlob(file));
        await new Promise((resolve) => setTimeout(resolve));
        if (mine !== turn) {
            break;
        }
        spare.add(path, bytes);
    }
    spare.free();
}

const isManifest = (path) => /\.fpkd?\.xml$/i.test(path);
const isZip = (path) => /\.(zip|mgsv)$/i.test(path);
const isArchive = (path) => /\.fpkd?$/i.test(path);

function isLinted(path, alone) {
    const lower = path.toLowerCase();
    return alone || isManifest(lower) || library.extensions.some((extension) => lower.endsWith(extension));
}

/* Is a file in a folder or zip an archive of the game that cannot be opened? It is linted to report that. If it cannot
 * be read, only its name decides. */
async function isUnread(path, read) {
    return library.isUnreadArchive(path) && library.isUnreadArchive(path, await read().catch(() => new Uint8Array(0)));
}

/* Registers a file. One given by itself is linted whatever its name; one in a folder or zip only if its extension is
 * known. */
function take(path, size, read, alone) {
    if (isLinted(path, alone)) {
        sources.set(path, { path, size, read });
    } else {
        names.add(path);
    }
}

async function open({ found, folders: given }) {
    turn++;
    given.forEach((folder) => folders.add(folder));
    for (const { path, file } of found) {
        refused.delete(path);
        if (!isZip(path)) {
            const alone = !path.includes('/') || await isUnread(path, async () => new Uint8Array(await readBlob(file.slice(0, 4))));
            take(path, file.size, async () => new Uint8Array(await readBlob(file)), alone);
            continue;
        }
        try {
            const members = await zipFiles(file);
            folders.add(path);
            for (const { name, size, read, refused: why } of members) {
                if (isZip(name)) {
                    refused.set(`${path}/${name}`, 'it is a zip in a zip: unpack the outer one and open this one');
                } else if (!why) {
                    take(`${path}/${name}`, size, read, await isUnread(name, read));
                } else if (isLinted(name, false)) {
                    refused.set(`${path}/${name}`, why);
                }
            }
        } catch (error) {
            refused.set(path, `it cannot be read as a zip: ${error.message}`);
        }
    }
    return { files: sources.size };
}

function close() {
    turn++;
    run?.free();
    run = null;
    [sources, names, folders, refused].forEach((all) => all.clear());
}

const byPath = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/* Posts the files linted since the last news, at most every NEWS_EVERY milliseconds. */
function newsOf(total) {
    let files = [], last = 0, done = 0;
    const send = () => {
        postMessage({ news: 'files', files, done, total });
        files = [];
        last = performance.now();
    };
    return {
        add(file) {
            files.push(file);
            done++;
            if (done === 1 || performance.now() - last > NEWS_EVERY) {
                send();
            }
        },
        send,
    };
}

/* Gives findings in members the path of the member in the page, "mod.fpk!/Assets/a.grxla". */
function named(finding) {
    const path = (file, member) => (member === undefined ? file : `${file}!${member}`), { file, member } = finding;
    const outside = (place) => (place.file ? path(place.file, place.member) : member !== undefined && !place.inner ? file : undefined);
    return { ...finding, file: path(file, member), related: finding.related?.map((place) => ({ ...place, file: outside(place) })) };
}

/* Adds a file as not checked, with a finding that says why. */
function unreadable(path, why) {
    return { path, size: 0, findings: run.addUnreadable(path, why).findings.map(named), refused: why };
}

async function readOne(source) {
    let bytes;
    try {
        bytes = await source.read();
    } catch (error) {
        return () => unreadable(source.path, `it cannot be read: ${error.message}`);
    }
    return () => {
        const { findings } = run.add(source.path, bytes);
        return { path: source.path, size: bytes.length, findings: findings.map(named), manifest: isManifest(source.path),
            members: isArchive(source.path) ? library.members(source.path, bytes).map((one) => one.path) : [] };
    };
}

/* After a trap the instance is unusable: loads a new one and runs again without that file. */
async function restart(path, error) {
    sources.delete(path);
    refused.set(path, `The library failed: ${error.message}. Please report this file.`);
    run = null;
    library = await load(compiled);
    postMessage({ news: 'again' });
    return lint();
}

async function lint() {
    const mine = ++turn;
    run?.free();
    run = library.run({});
    [...folders].sort(byPath).forEach((folder) => run.addFolder(folder));
    [...names].sort(byPath).forEach((name) => run.addName(name));
    const all = [...sources.values()].sort((a, b) => byPath(a.path, b.path)), news = newsOf(all.length);
    const reads = [];
    for (const [i, source] of all.entries()) {
        for (let next = i; next < Math.min(all.length, i + READ_AHEAD); next++) {
            reads[next] ??= next === i || all[next].size < AHEAD_MAX ? readOne(all[next]) : undefined;
        }
        const read = await reads[i];
        reads[i] = null;
        if (mine !== turn) {
            return { cancelled: true };
        }
        try {
            news.add(read());
        } catch (error) {
            if (error.fatal) {
                return restart(source.path, error);
            }
            news.add(unreadable(source.path, error.message));
        }
    }
    const left = [...refused].sort(([a], [b]) => byPath(a, b)).map(([path, why]) => unreadable(path, why));
    news.send();
    const { summary, across, notices } = run.finish();
    return { summary, across: across.map(named), notices, packages: JSON.parse(run.packages('json')).packages, refused: left };
}

/* Replaces the bytes of a file, and keeps the original to take the change back. */
function replace(path, bytes) {
    const source = sources.get(path);
    sources.set(path, { path, size: bytes.length, read: async () => bytes, opened: source.opened || source });
}

/* Tree and space of a file; only the bytes are shown if it has too many fields. */
function recordsOf(path, bytes, options) {
    try {
        return { tree: library.tree(path, bytes, options), space: library.space(path, bytes, options) };
    } catch (error) {
        if (error.message !== 'the dump has more bytes than its limit') {
            throw error;
        }
        return { tree: { file: path, format: '', records: [], partly: true }, space: { up: 1, unit: '', things: [] } };
    }
}

const calls = {
    start, warm, open, close, lint,
    cancel() {
        turn++;
    },
    async look({ path }) {
        const [host, member] = hostOf(path), bytes = await sources.get(host).read();
        const records = recordsOf(host, bytes, { ...(member ? { member } : {}), limit: DUMP_MAX });
        const part = member && library.members(host, bytes).find((one) => one.path === member);
        seen = { path: member || host, bytes: part ? bytes.slice(part.offset, part.offset + part.length) : bytes };
        return { ...records, bytes: seen.bytes };
    },
    draw: (camera) => library.draw(seen.path, seen.bytes, camera),
    async fix({ path, fingerprints }) {
        const before = await sources.get(path).read();
        const fixed = library.fix(path, before, { unsafe: true, fingerprints });
        const { bytes, applied, left } = fixed;
        if (applied.length) {
            replace(path, bytes);
        }
        return { applied, left, fields: JSON.parse(library.diff(path, before, path, bytes, 'json')).files };
    },
    takeBack({ path }) {
        const source = sources.get(path);
        sources.set(path, source.opened || source);
    },
    async bytes({ path }) {
        return sources.get(path).read();
    },
    report: ({ format }) => run.print(format, {}),
    explain: ({ rule }) => JSON.parse(library.explain(rule, 'json')),
};

/* Splits "mod.fpk!/Assets/a.grxla" into archive and member, unless a file has that name. */
function hostOf(path) {
    for (let at = path.indexOf('!'); at >= 0 && !sources.has(path); at = path.indexOf('!', at + 1)) {
        if (sources.has(path.slice(0, at))) {
            return [path.slice(0, at), path.slice(at + 1)];
        }
    }
    return [path, null];
}

onmessage = async ({ data: asked }) => {
    if (asked.wanted) {
        takeAnswer(asked);
        return;
    }
    const { id, call, data } = asked;
    try {
        postMessage({ id, result: await calls[call](data || {}) });
    } catch (error) {
        if (error.fatal) {
            library = await load(compiled);
        }
        postMessage({ id, error: error.message || String(error) });
    }
};
