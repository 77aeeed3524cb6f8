/* The state of the page, and the part of it that is in a link: #view=bytes&rule=GRX610&offset=0xb2. */
import { readHash, writeHash } from './host.mjs';

export const views = ['findings', 'bytes', 'space', 'references', 'fix'];

export const state = {
    files: [],        /* {path, size, findings, refused?, host?, fixed?}, sorted by path */
    findings: [],     /* of all files, in the order of files, then by offset */
    packages: [],
    unchecked: 0,     /* files not checked, or not in full */
    progress: null,   /* {done, total} during a run */
    view: 'findings',
    path: null,       /* current file; null: all */
    finding: null,    /* current finding */
    at: null,         /* {region, offset}: current byte of the current file */
    rule: '',         /* from the link */
};

const watchers = [];
export const watch = (run) => watchers.push(run);

export function change(news) {
    Object.assign(state, news);
    watchers.forEach((run) => run(Object.keys(news)));
    writeLink();
}

/* Position of a finding in the bytes that the view of its file shows: inside the member or region if it is in one. */
export function placeOf(finding) {
    const { inner } = finding;
    return inner ? { region: inner.region || null, offset: inner.offset, length: inner.length }
        : { region: null, offset: finding.offset, length: finding.length };
}

export function goTo(finding, view = state.view) {
    change({ finding, path: state.path === null ? null : finding.file, at: placeOf(finding), rule: finding.rule, view });
}

export const fileAt = (path) => state.files.find((file) => file.path === path);

let written = '';
function writeLink() {
    const link = new URLSearchParams();
    link.set('view', state.view);
    if (state.rule) {
        link.set('rule', state.rule);
    }
    if (state.at) {
        link.set('offset', '0x' + state.at.offset.toString(16));
        if (state.at.region) {
            link.set('region', state.at.region);
        }
    }
    const text = '#' + link;
    if (text !== written) {
        written = text;
        writeHash(text);
    }
}

/* Reads a link. It has a rule and a place, but no file: it applies to whichever file is opened. */
export function readLink() {
    const link = new URLSearchParams(readHash().slice(1)), offset = Number(link.get('offset') ?? NaN), found = {};
    if (views.includes(link.get('view'))) {
        found.view = link.get('view');
    }
    if (/^[A-Z]{3}[0-9]{3}$|^[a-z-]+$/.test(link.get('rule') || '')) {
        found.rule = link.get('rule');
    }
    if (Number.isSafeInteger(offset) && offset >= 0) {
        found.at = { region: link.get('region'), offset };
    }
    return found;
}
