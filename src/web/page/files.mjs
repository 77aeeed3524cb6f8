/* The list of files: "All files", then each with its findings by severity. */
import { h, mark, plural, severities, setText } from './dom.mjs';
import { List } from './list.mjs';
import { change, fileAt, state } from './state.mjs';

let list, head, rows = [];

export function counts(findings) {
    const count = { error: 0, warning: 0, note: 0 };
    findings.forEach((finding) => count[finding.severity]++);
    return count;
}

/* Number of files without members of archives. */
export function filesGiven() {
    return state.files.filter((file) => !file.host).length;
}

/* A verdict such as "3 files checked, 1 not checked or not in full, 4 findings". */
export function verdict() {
    const given = filesGiven(), { unchecked } = state;
    return `${plural(given - unchecked, 'file')} checked, ${unchecked ? `${unchecked.toLocaleString('en')} not checked or not in full, ` : ''}`
        + plural(state.findings.length, 'finding');
}

/* Counts by severity, "✕ 3 ▲ 1", with words for assistive technology. */
export function tally(count) {
    return h('span', { class: 'tally' }, Object.keys(severities).filter((severity) => count[severity])
        .map((severity) => h('span', { class: severity }, mark(severity), count[severity].toLocaleString('en'))));
}

/* A path in two elements: if there is no room, the folder is shortened and the name stays visible. */
export function pathText(path) {
    const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('!')) + 1;
    return h('span', { class: 'path', title: path },
        at ? h('span', { class: 'folder' }, path.slice(0, at)) : null, h('span', { class: 'name' }, path.slice(at)));
}

const folderOf = (file) => file.path.slice(0, Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('!')) + 1);

const isFolder = (row) => row?.folder !== undefined;

/* Rows: null for all files, each folder before its files, files. Before files in no folder that follow those of one, the
 * folder is ''. */
function arrange() {
    let folder = '';
    rows = [null];
    for (const file of state.files) {
        if (folderOf(file) !== folder) {
            folder = folderOf(file);
            rows.push({ folder });
        }
        rows.push(file);
    }
}

function condition(file) {
    if (file.refused) {
        return h('span', { class: 'tag' }, 'not read');
    }
    return file.fixed && !file.saved ? h('span', { class: 'tag' }, 'not saved') : file.findings.length ? tally(counts(file.findings))
        : h('span', { class: 'clean' }, file.fixed ? 'saved' : 'clean');
}

function draw(index) {
    const row = rows[index];
    if (!row) {
        return h('div', null, h('span', { class: 'path' }, 'All files'), tally(counts(state.findings)));
    }
    if (isFolder(row)) {
        const folder = row.folder || 'no folder';
        return h('div', { class: 'group', role: 'presentation', 'aria-hidden': 'true', title: folder }, h('bdi', null, folder));
    }
    return h('div', { title: row.path }, h('span', { class: 'path' }, row.path.slice(folderOf(row).length)), condition(row));
}

export function makeFiles(host) {
    head = h('h2', null, 'Files');
    list = new List({
        label: 'Files', class: 'files', draw, heightOf: (index) => (isFolder(rows[index]) ? 30 : 26), skip: (index) => isFolder(rows[index]),
        onmove(index) {
            const path = rows[index]?.path ?? null;
            if (path !== state.path) {
                change({ path, finding: null, at: null });
            }
        },
    });
    host.append(head, list.element);
}

export function showFiles(keys) {
    if (keys.some((key) => ['files', 'findings'].includes(key))) {
        arrange();
        setText(head, plural(filesGiven(), 'file'));
    }
    if (keys.some((key) => ['files', 'findings', 'path'].includes(key))) {
        const current = state.path === null ? 0 : rows.indexOf(fileAt(state.path));
        list.set(rows.length, current);
        list.reveal(current);
    }
}
