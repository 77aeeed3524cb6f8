/* The view Fix: the user chooses patches, the library applies them and lints again. Shows the changed fields, and saves
 * the file. */
import { announce, h, mark, plural, setText } from './dom.mjs';
import { pathText } from './files.mjs';
import { save } from './host.mjs';
import { List } from './list.mjs';
import { change, fileAt, goTo, state } from './state.mjs';

let library, lint, list, sum, button, choices, results, rows = [], known = null;
const chosen = new Set();  /* keys of chosen findings: "file\nfingerprint" */
const done = new Map();    /* path -> answer of the library */

const keyOf = (finding) => `${hostOf(finding)}\n${finding.fingerprint}`;
const hostOf = (finding) => fileAt(finding.file)?.host || finding.file;

/* Members of archives are not changed: packing them again needs new sizes and hashes. */
const inMember = (finding) => finding.member !== undefined;

function arrange() {
    const patches = state.findings.filter((finding) => finding.patch &&
        (state.path === null || finding.file === state.path || hostOf(finding) === state.path));
    const files = new Map(), apart = patches.filter(inMember).length;
    setText(sum, apart ? `${apart} in archives, whose files are not changed: unpack, fix, pack` : '');
    for (const finding of patches.filter((one) => !inMember(one))) {
        const host = hostOf(finding);
        files.has(host) ? files.get(host).push(finding) : files.set(host, [finding]);
    }
    rows = [...files].flatMap(([file, findings]) => [{ file, findings }, ...findings]);
}

const picked = () => rows.filter((row) => !row.findings && chosen.has(keyOf(row)));

function refresh() {
    if (known !== state.findings) { /* after a run, choose safe patches; also the one that was asked for */
        known = state.findings;
        chosen.clear();
        known.filter((finding) => finding.patch?.tier === 'safe' && !inMember(finding)).forEach((finding) => chosen.add(keyOf(finding)));
    }
    if (state.finding?.patch && !inMember(state.finding) && rows.current !== state.finding) {
        chosen.add(keyOf(state.finding));
    }
    arrange();
    rows.current = state.finding;
    list.set(rows.length, rows.indexOf(state.finding));
    list.current >= 0 && list.reveal(list.current);
    list.render();
    list.element.hidden = !rows.length;
    list.element.nextSibling.hidden = Boolean(rows.length);
    const count = picked().length;
    setText(button, count ? `Apply ${plural(count, 'chosen patch').replace('patchs', 'patches')}` : 'Apply');
    button.disabled = !count || Boolean(state.progress);
    choices.forEach((one) => one.disabled = !rows.length);
    drawResults();
}

function pick(index) {
    const row = rows[index];
    if (row && !row.findings) {
        const key = keyOf(row);
        chosen.has(key) ? chosen.delete(key) : chosen.add(key);
        announce(`${row.rule} ${chosen.has(key) ? 'chosen' : 'not chosen'}`);
        const at = index;
        refresh();
        list.move(at);
    }
}

function chooseAll(test) {
    rows.filter((row) => !row.findings).forEach((row) => (test(row) ? chosen.add(keyOf(row)) : chosen.delete(keyOf(row))));
    rows.current = state.finding;
    refresh();
}

function draw(index) {
    const row = rows[index];
    if (row.findings) {
        return h('div', { class: 'group', role: 'presentation', 'aria-hidden': 'true' }, h('span', { class: 'what' }, pathText(row.file)),
            h('span', { class: 'muted' }, `${row.findings.length}`));
    }
    const on = chosen.has(keyOf(row)), { patch } = row;
    return h('div', { class: 'finding patch' }, h('span', { class: `box ${on ? 'on' : ''}`, 'aria-hidden': 'true' }, on ? '✓' : ''),
        h('span', { class: 'unseen' }, on ? 'chosen' : 'not chosen'), mark(row.severity),
        h('div', { class: 'text' }, h('div', { class: 'title' }, h('code', null, row.path || row.record), h('span', { class: 'muted' }, ` found ${row.found}`)),
            h('div', { class: 'where' }, h('code', null, row.rule), h('span', { class: 'fix' }, row.fix), h('span', { class: `tier ${patch.tier}` }, patch.tier))));
}

/* ---- results ---- */

const kinds = { changed: '', removed: 'removed ', added: 'added ', moved: 'moved ', bytes: 'bytes ' };

function differences(files) {
    const rows_ = files.flatMap(({ differences: all }) => all);
    const shown = rows_.slice(0, 500);
    return h('div', { class: 'scroll' , tabIndex: 0, role: 'region', 'aria-label': 'Fields that changed' }, h('table', null,
        h('caption', { class: 'unseen' }, 'Fields that changed'),
        h('thead', null, h('tr', null, ['Field', 'Was', 'Is'].map((word) => h('th', { scope: 'col' }, word)))),
        h('tbody', null, shown.map((one) => h('tr', null, h('td', null, h('code', null, kinds[one.kind] + one.path)),
            h('td', null, h('del', null, one.was ?? '')), h('td', null, h('ins', null, one.is ?? '')))))),
    rows_.length > shown.length ? h('p', { class: 'muted' }, `and ${rows_.length - shown.length} more`) : null);
}

const reasons = { spoils: (one) => (one.brings ? `it brings ${one.brings.rule} ${one.brings.path}` : 'it brings a finding'),
    idle: () => 'its finding stays', untried: () => 'it was not tried: the limit of work on one file was reached; apply again to go on' };

function drawResult([path, result]) {
    const file = fileAt(path);
    const left = result.left.filter((one) => reasons[one.why])
        .map((one) => h('li', null, h('code', null, `${one.rule} ${one.path}`), `: left out, as ${reasons[one.why](one)}`));
    const now = file ? file.findings.length : 0;
    return h('article', null, h('h2', null, pathText(path)),
        h('p', null, `${result.applied.length} applied${left.length ? `, ${left.length} left out` : ''}. `,
            now ? h('button', { class: 'link', onclick: () => change({ view: 'findings', path }) }, `${plural(now, 'finding')} left`) : 'Linted again: clean.'),
        differences(result.fields), left.length ? h('ul', null, left) : null,
        h('div', { class: 'actions' },
            h('button', { class: 'main', onclick: () => saveFile(path) }, 'Save the new file'),
            h('button', { onclick: () => takeBack(path) }, 'Take back'),
            h('button', { onclick: () => change({ view: 'bytes', path, at: { region: null, offset: firstChange(result) } }) }, 'Show the bytes')));
}

const firstChange = (result) => result.fields.flatMap((file) => file.differences).find((one) => one.offset_after !== undefined && !one.region)?.offset_after ?? 0;

function drawResults() {
    const all = [...done].filter(([path]) => fileAt(path)?.fixed && (state.path === null || state.path === path || fileAt(state.path)?.host === path));
    results.replaceChildren(...(all.length ? all.map(drawResult) : [h('p', { class: 'none' },
        'Choose patches and apply them. The fields that change are shown here, and the file is linted again. Your file stays as it is until you save the new one. ' +
        'A safe patch has one right answer; check what an unsafe one writes.')]));
}

async function fix() {
    const byFile = new Map();
    for (const finding of picked()) {
        const host = hostOf(finding);
        byFile.has(host) ? byFile.get(host).push(finding.fingerprint) : byFile.set(host, [finding.fingerprint]);
    }
    button.disabled = true;
    const fixed = [];
    for (const [path, fingerprints] of byFile) {
        const result = await library.call('fix', { path, fingerprints });
        if (result.applied.length) {
            done.set(path, result);
            fixed.push(path);
        } else {
            announce(`${path}: no patch helped`);
        }
    }
    fixed.forEach((path) => Object.assign(fileAt(path), { fixed: true, saved: false }));
    await lint();
    announce(`${plural(fixed.length, 'file')} fixed and linted again, ${plural(state.findings.length, 'finding')} left`);
}

async function saveFile(path) {
    await save(path, [await library.call('bytes', { path })]);
    fileAt(path).saved = true;
    change({ files: state.files });
    announce(`${path} saved`);
}

async function takeBack(path) {
    await library.call('takeBack', { path });
    done.delete(path);
    Object.assign(fileAt(path), { fixed: false, saved: false });
    await lint();
}

export function makeFix(host, lib, page) {
    library = lib;
    lint = page.lint;
    button = h('button', { class: 'main', onclick: () => fix().catch(page.fail) }, 'Apply');
    choices = [['Choose safe', (finding) => finding.patch.tier === 'safe'], ['Choose all', () => true], ['Choose none', () => false]]
        .map(([label, test]) => h('button', { onclick: () => chooseAll(test) }, label));
    list = new List({
        label: 'Patches', class: 'findings', rowHeight: 46, heightOf: (index) => (rows[index].findings ? 32 : 46), draw, skip: (index) => Boolean(rows[index]?.findings),
        onkey(event) {
            if (event.key === ' ') {
                pick(list.current);
                return true;
            }
            if (event.key === 'Enter' && rows[list.current]) {
                goTo(rows[list.current], 'findings');
                return true;
            }
            return false;
        },
    });
    list.element.addEventListener('click', (event) => {
        const row = event.target.closest('[data-index]');
        row && pick(Number(row.dataset.index));
    }, true);
    results = h('section', { class: 'detail results', 'aria-label': 'What was done' });
    host.append(h('div', { class: 'toolbar' }, choices, sum = h('span', { class: 'sum' }), button),
        h('div', { class: 'split' }, h('div', { class: 'pane' }, list.element, h('p', { class: 'none' }, 'No finding has a patch.')), results));
}

export function showFix(keys) {
    if (keys.some((key) => ['findings', 'files', 'path', 'view', 'finding', 'progress'].includes(key))) {
        refresh();
    }
}
