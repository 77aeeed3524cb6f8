/* The page: passes opened files to the library's thread, stores its results in the state, and lets the views show
 * them. */
import { announce, byId, h, plural, setText } from './dom.mjs';
import { makeBytes, showBytes } from './bytes.mjs';
import { demoFiles } from './demo.mjs';
import { chosen, dropped } from './drop.mjs';
import { makeFiles, pathText, showFiles, verdict } from './files.mjs';
import { followTheme, inEditor, save, takeFromEditor } from './host.mjs';
import { makeFindings, showFindings, showRule } from './findings.mjs';
import { Library, packedLibrary } from './library.mjs';
import { Look } from './look.mjs';
import { makeFix, showFix } from './fix.mjs';
import { makeReferences, showReferences } from './references.mjs';
import { makeSpace, showSpace } from './space.mjs';
import { change, fileAt, readLink, state, views, watch } from './state.mjs';

/* The views: label, and functions to create and show each. `looks`: it shows one file, which is read for it. */
const screens = {
    findings: { label: 'Findings', make: makeFindings, show: showFindings },
    bytes: { label: 'Bytes', make: makeBytes, show: showBytes, looks: true },
    space: { label: 'Space', make: makeSpace, show: showSpace, looks: true },
    references: { label: 'References', make: makeReferences, show: showReferences },
    fix: { label: 'Fix', make: makeFix, show: showFix },
};
const reports = { /* formats of the library: label, file name and media type */
    html: ['HTML', 'lightlint.html', 'text/html'], markdown: ['Markdown', 'lightlint.md', 'text/markdown'],
    json: ['JSON', 'lightlint.json', 'application/json'], jsonl: ['JSON Lines', 'lightlint.jsonl', 'application/jsonl'],
    sarif: ['SARIF', 'lightlint.sarif', 'application/sarif+json'],
};

let library, about = null, look = null, looked = null, lookError = null, opening = Promise.resolve(), runs = 0;

/* ---- opening and linting ---- */

function sortFiles(files) {
    return files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/* Makes separate entries for members of archives, and for files that were not given but have findings. */
function spread(files) {
    const all = new Map(files.map((file) => [file.path, { ...file, findings: [] }]));
    for (const file of files) {
        for (const member of file.members || []) {
            all.set(`${file.path}!${member}`, { path: `${file.path}!${member}`, host: file.path, size: 0, findings: [] });
        }
        for (const finding of file.findings) {
            if (!all.has(finding.file)) {
                all.set(finding.file, { path: finding.file, host: file.path, size: 0, findings: [] });
            }
            all.get(finding.file).findings.push(finding);
        }
    }
    return sortFiles([...all.values()]);
}

function setFiles(files, more = {}) {
    const known = new Map(state.files.map((file) => [file.path, file]));
    for (const file of files) {
        const { fixed, saved } = known.get(file.path) || {};
        Object.assign(file, { fixed, saved });
    }
    change({ files, findings: files.flatMap((file) => file.findings), ...more });
}

let fresh = []; /* files linted in the present run */

function onnews({ news, files, done, total }) {
    if (news === 'again') { /* the run starts again, without the file that stopped the library */
        fresh = [];
        return;
    }
    if (!state.progress) { /* cancelled meanwhile */
        return;
    }
    fresh.push(...files);
    const shown = fresh.length < 64 || done === total || fresh.length - state.files.length > fresh.length / 8;
    if (shown && !state.files.some((file) => file.fixed)) {
        setFiles(spread(fresh));
    }
    change({ progress: { done, total } });
}

async function lint() {
    const mine = ++runs;
    fresh = [];
    change({ progress: { done: 0, total: 0 } });
    const result = await library.call('lint');
    if (mine !== runs) {
        return;
    }
    look = null;
    if (!result.cancelled) {
        const all = [...fresh, ...result.refused];
        result.across.length && all.push({ path: result.across[0].file, size: 0, findings: result.across, across: true });
        setFiles(spread(merge(all)).filter((file) => !file.manifest || file.refused || file.findings.length), { packages: result.packages, unchecked: result.summary.unchecked });
    }
    change({ progress: null, finding: firstFinding() });
    announce(verdict());
}

/* Merges entries with the same path: findings across files are added to those of the file itself. */
function merge(files) {
    const all = new Map();
    for (const file of files) {
        const there = all.get(file.path);
        all.set(file.path, there ? { ...there, findings: [...there.findings, ...file.findings] } : file);
    }
    return [...all.values()];
}

/* The finding to select after a run: the same as before, or for a link, the first with its rule and place. */
function firstFinding() {
    const { finding, rule, at } = state;
    const same = finding && state.findings.find((one) => one.fingerprint === finding.fingerprint && one.file === finding.file &&
        one.path === finding.path);
    return same || state.findings.find((one) => one.rule === rule && (!at || one.offset === at.offset || one.inner?.offset === at.offset)) || null;
}

async function open(gathered) {
    const { found, folders } = await gathered;
    if (!found.length) {
        announce('Nothing was opened: no file was given');
        return;
    }
    await library.call('open', { found, folders });
    await lint();
    if (state.finding === null && state.files.length === 1) {
        change({ path: state.files[0].path });
    }
}

/* Opens drops one after the other: a second one waits until the first was linted. */
function openNext(gathered) {
    opening = opening.then(() => open(gathered)).catch(fail);
    return opening;
}

function fail(error) {
    change({ progress: null });
    const box = byId('trouble');
    box.hidden = false;
    setText(box.firstChild, `This did not work: ${error.message}`);
}

async function closeAll() {
    const unsaved = state.files.filter((file) => file.fixed && !file.saved).length;
    if (unsaved && !confirm(`${plural(unsaved, 'fixed file')} not saved. Close anyway?`)) {
        return;
    }
    runs++;
    await library.call('close');
    fresh = [];
    change({ files: [], findings: [], packages: [], finding: null, path: null, at: null, rule: '', progress: null });
}

/* ---- views ---- */

function pathToLook() {
    return state.path ?? state.finding?.file ?? (state.files.find((file) => file.findings.length) || state.files[0])?.path;
}

/* Reads the current file for views that show a single one, once per file. */
async function readLook() {
    const path = pathToLook(), file = path === undefined ? null : fileAt(path);
    if (!file || file.refused) {
        look = looked = null;
        lookError = file?.refused || null;
        return;
    }
    if (looked !== file) {
        looked = file;
        look = lookError = null;
        try {
            const answer = await library.call('look', { path });
            look = looked === file ? new Look(path, answer) : look;
        } catch (error) {
            lookError = looked === file ? error.message : lookError;
        }
        if (looked === file) {
            show(['look']);
        }
    }
}

function show(keys) {
    const busy = Boolean(state.progress), empty = !state.files.length && !busy;
    byId('welcome').hidden = !empty || inEditor;
    byId('frame').classList.toggle('empty', empty);
    showFiles(keys);
    for (const view of views) {
        const here = view === state.view, tab = byId(`tab-${view}`);
        tab.setAttribute('aria-selected', here);
        tab.tabIndex = here ? 0 : -1;
        byId(`view-${view}`).hidden = !here || empty;
    }
    showActions(busy, empty);
    const screen = screens[state.view];
    if (empty) {
        return;
    }
    if (!screen.looks) {
        screen.show(keys);
        return;
    }
    readLook();
    const box = byId('unread'), much = look?.partly && state.view === 'space', shown = look && !much;
    box.hidden = Boolean(shown);
    setText(box, much ? `${look.path}: it has more records than are shown here.` : lookError ? `${pathToLook()}: ${lookError}` : '');
    byId(`view-${state.view}`).hidden = !shown;
    if (shown) {
        const which = byId(`view-${state.view}`).querySelector('.which');
        which.dataset.path === look.path || which.replaceChildren(pathText(which.dataset.path = look.path));
        screen.show(look, keys.includes('look') || keys.includes('view'));
    }
}

function showActions(busy, empty) {
    byId('cancel').hidden = !busy;
    byId('report').hidden = empty || busy;
    byId('close').hidden = empty || busy || inEditor;
    const bar = byId('progress'), { done, total } = state.progress || { done: 0, total: 0 };
    bar.hidden = !busy;
    bar.value = total ? done / total : 0;
    const count = state.findings.length;
    setText(byId('tab-findings').lastChild, count ? ` ${count.toLocaleString('en')}` : '');
    setText(byId('foot').firstChild, busy ? `${done.toLocaleString('en')} of ${plural(total, 'file')}` : empty ? '' : verdict());
}

function makeTabs() {
    const tabs = byId('tabs');
    for (const view of views) {
        tabs.append(h('button', { id: `tab-${view}`, role: 'tab', 'aria-controls': `view-${view}`, onclick: () => change({ view }) },
            screens[view].label, h('span', { class: 'count' }, '')));
        const panel = h('div', { id: `view-${view}`, class: `view ${view}`, role: 'tabpanel', 'aria-labelledby': `tab-${view}`, hidden: true });
        byId('main').append(panel);
        screens[view].make(panel, library, { lint, fail });
    }
    tabs.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) {
            event.preventDefault();
            const view = views[(views.indexOf(state.view) + step + views.length) % views.length];
            change({ view });
            byId(`tab-${view}`).focus();
        }
    });
}

/* ---- actions ---- */

function picker(id, label, attributes) {
    const input = h('input', { type: 'file', class: 'unseen', id, 'aria-label': label, tabIndex: -1, multiple: true, ...attributes,
        onchange() {
            openNext(chosen(input));
            input.value = '';
        } });
    return [h('button', { onclick: () => input.click() }, label), input];
}

const openDemo = () => openNext(Promise.resolve(demoFiles('demo', 'demo-mod')));

function openScene() {
    change({ view: 'space' });
    return openNext(Promise.resolve(demoFiles('demo-scene')));
}

async function saveReport(format) {
    const [, name, type] = reports[format];
    await save(name, [await library.call('report', { format })], type);
}

function makeActions() {
    const menu = h('select', { id: 'report', 'aria-label': 'Save a report', onchange() {
        const format = menu.value;
        menu.value = '';
        saveReport(format).catch(fail);
    } }, h('option', { value: '' }, 'Save report'));
    const pickers = inEditor ? [] : [...picker('pick-files', 'Open files', {}), ...picker('pick-folder', 'Open folder', { webkitdirectory: true })];
    byId('actions').append(...pickers, menu, h('button', { id: 'cancel', onclick() {
            runs++;
            library.call('cancel');
            change({ progress: null });
            announce('Cancelled');
        } }, 'Cancel'), h('button', { id: 'close', onclick: closeAll }, 'Close all'));
    return menu;
}

function makeWelcome() {
    const box = h('section', { id: 'welcome', 'aria-label': 'Open' },
        h('div', { class: 'place' },
            h('h2', null, 'Drop light files here'),
            h('p', null, 'Files, folders or zips of a mod: light arrays, areas, maps, packages. See which byte is wrong, why, and what to write; save the fixed file.'),
            h('div', { class: 'actions' },
                h('button', { class: 'main', onclick: () => byId('pick-files').click() }, 'Choose files'),
                h('button', { onclick: () => byId('pick-folder').click() }, 'Choose a folder'),
                h('button', { id: 'demo', onclick: openDemo }, 'Try the demo'),
                h('button', { id: 'scene', onclick: openScene }, 'See a scene')),
            h('p', { class: 'muted' }, 'All of it happens in this page. Nothing is sent anywhere.')),
        h('div', { id: 'linked' }));
    byId('main').append(box, h('p', { id: 'unread', class: 'none', hidden: true }));
}

/* In a browser: handles drops, links and unsaved changes. */
function takeFromBrowser() {
    let over = 0;
    const veil = (on) => byId('veil').hidden = !on;
    addEventListener('dragenter', (event) => {
        event.preventDefault();
        veil(++over > 0);
    });
    addEventListener('dragleave', () => veil(--over > 0));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
        event.preventDefault();
        over = 0;
        veil(false);
        openNext(dropped(event.dataTransfer));
    });
    addEventListener('beforeunload', (event) => {
        if (state.files.some((file) => file.fixed && !file.saved)) {
            event.preventDefault();
        }
    });
    addEventListener('hashchange', () => change({ ...readLink(), finding: null }));
    const warm = () => library.call('warm', { found: demoFiles('demo').found }).catch(() => {});
    opening.then(() => setTimeout(warm));
}

async function begin() {
    inEditor && followTheme();
    library = new Library(onnews);
    const ready = library.call('start', packedLibrary());
    const menu = makeActions();
    byId('foot').append(h('span', null, ''), h('span', null, h('span', { id: 'about' }, ''),
        h('button', { onclick: () => byId('licences').showModal() }, 'Licences')));
    byId('licences').querySelector('button').addEventListener('click', () => byId('licences').close());
    byId('foot').before(h('div', { id: 'trouble', role: 'alert', hidden: true }, h('span', null, ''),
        h('button', { onclick: () => byId('trouble').hidden = true }, 'Close')));
    makeWelcome();
    makeFiles(byId('files'));
    makeTabs();
    watch(show);
    change(readLink());
    opening = ready.then(async (news) => {
        about = news;
        setText(byId('about'), `lightlint ${about.version}`);
        menu.append(...Object.entries(reports).filter(([format]) => about.formats.check.includes(format))
            .map(([value, [label]]) => h('option', { value }, label)));
        const rule = await showRule();
        rule && byId('linked').replaceChildren(...rule);
        document.documentElement.dataset.ready = 'true';
    });
    opening = opening.catch(fail);
    inEditor ? takeFromEditor((files) => openNext(Promise.resolve(files))) : takeFromBrowser();
}

begin();
