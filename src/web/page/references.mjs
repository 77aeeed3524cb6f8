/* References: the packages of a mod and the references between their files, as a picture and as a table. */
import { h, mark, oncePerFrame, plural, setText } from './dom.mjs';
import { List } from './list.mjs';
import { change, state } from './state.mjs';

const BOX = { width: 252, least: 120, height: 46, gap: 14, apart: 150, top: 40, left: 16 };
const parts = { data: 'Data part', main: 'Main part' };
const states = { there: { mark: '', word: 'there' }, missing: { mark: '✕', word: 'missing' }, unknown: { mark: '?', word: 'not looked at' } };

let list, head, picture, table, pane, at = 0, known = null, room = 0;

const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);
const referencesOf = (one) => one.parts.flatMap(({ files }) => files.flatMap((file) => file.refers_to.map((to) => ({ from: file, ...to }))));
const broken = (one) => referencesOf(one).filter((to) => to.state === 'missing').length;

/* The opened file with that path in a package, which is a folder and a name. */
function opened(one, path) {
    const folder = one.package.slice(0, one.package.lastIndexOf('/') + 1), inner = path.replace(/^\//, '');
    return state.files.find((file) => file.path.startsWith(folder) && (file.path.endsWith('/' + inner) || file.path.endsWith('!' + inner)));
}

/* Widths of two columns for the available room: boxes become narrower first, then the gap. */
function columnsIn(room) {
    const apart = Math.max(BOX.apart / 3, Math.min(BOX.apart, room - 2 * (BOX.left + BOX.least)));
    return { width: Math.max(BOX.least, Math.min(BOX.width, (room - apart) / 2 - BOX.left)), apart };
}

/* Places boxes in two columns, referring files on the left; a missing file gets a box at the end of its column. */
function layout(one, { width, apart }) {
    const columns = { data: [], main: [] }, boxes = new Map();
    const put = (part, box) => {
        const order = Object.keys(columns).indexOf(part);
        Object.assign(box, { width, x: BOX.left + order * (width + apart), y: BOX.top + columns[part].length * (BOX.height + BOX.gap), part });
        columns[part].push(box);
        boxes.set(box.path, box);
    };
    one.parts.forEach(({ part, files }) => files.forEach((file) => put(part, { path: file.path, kind: file.kind, file })));
    for (const to of referencesOf(one)) {
        if (!boxes.has(to.path)) {
            put(boxes.get(to.from.path)?.part === 'data' ? 'main' : 'data', { path: to.path, kind: states[to.state].word, state: to.state });
        }
    }
    return { columns, boxes };
}

function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
}

/* Draws an edge. If two files refer to each other, their curves are shifted apart. */
function edge(from, to, reference) {
    const right = from.x < to.x, shift = right ? -7 : 7, side = from.x === to.x;
    const [x0, x1] = side ? [from.x + from.width, to.x + to.width] : right ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
    const [y0, y1] = [from, to].map((box) => box.y + BOX.height / 2 + shift), bend = side ? 60 : (x1 - x0) / 2;
    const curve = svg('path', { d: `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - (side ? -bend : bend)} ${y1} ${x1} ${y1}`, class: `edge ${reference.state}`,
        'marker-end': `url(#arrow-${reference.state})` });
    const sign = states[reference.state].mark && svg('text', { x: (x0 + x1) / 2, y: (y0 + y1) / 2 + 4, class: `sign ${reference.state}` }, states[reference.state].mark);
    return [curve, sign].filter(Boolean);
}

function arrowHead(name) {
    return svg('marker', { id: `arrow-${name}`, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' },
        svg('path', { d: 'M0 0L8 4L0 8z', class: `head ${name}` }));
}

function drawPicture(one) {
    room = picture.clientWidth;
    const across = columnsIn(room), { columns, boxes } = layout(one, across), rows = Math.max(columns.data.length, columns.main.length);
    const width = 2 * BOX.left + 2 * across.width + across.apart, height = BOX.top + rows * (BOX.height + BOX.gap) + 8;
    const lines = referencesOf(one).flatMap((to) => edge(boxes.get(to.from.path), boxes.get(to.path), to));
    const drawing = svg('svg', { width, height, 'aria-hidden': 'true' }, svg('defs', {}, ...Object.keys(states).map(arrowHead)), ...lines);
    const nodes = [...boxes.values()].map((box) => {
        const file = box.file && opened(one, box.path);
        const bad = file?.findings.length ? mark(file.findings[0].severity) : box.state === 'missing' ? h('span', { class: 'mark error', 'aria-hidden': 'true' }, '✕') : null;
        const node = h(file ? 'button' : 'div', { class: `box ${box.state || 'there'}`, title: box.path, onclick: file ? () => change({ path: file.path, view: 'findings', finding: null, at: null }) : () => {} },
            h('span', { class: 'name' }, nameOf(box.path)), h('span', { class: 'muted' }, bad, box.kind));
        Object.assign(node.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${BOX.height}px` });
        return node;
    });
    const titles = Object.keys(parts).map((part, i) => {
        const title = h('h3', null, `${parts[part]}${one.parts.some((there) => there.part === part) ? '' : ' (not given)'}`);
        title.style.left = `${BOX.left + i * (across.width + across.apart)}px`;
        return title;
    });
    picture.replaceChildren(h('div', { class: 'canvas' }, drawing, titles, nodes));
    Object.assign(picture.firstChild.style, { width: `${width}px`, height: `${height}px` });
}

/* Lets a path break after slashes and underscores. */
const breakable = (path) => path.split(/(?<=[/_])/).flatMap((part) => [part, h('wbr')]);

function drawTable(one) {
    const cells = (to) => [h('span', { class: to.state === 'missing' ? 'error-text' : 'muted' }, `${states[to.state].mark} ${states[to.state].word}`),
        h('code', null, breakable(nameOf(to.from.path))), to.by, h('code', null, breakable(to.path))];
    const all = referencesOf(one).slice(0, 2000);
    table.replaceChildren(h('table', null, h('caption', { class: 'unseen' }, 'References'),
        h('thead', null, h('tr', null, ['State', 'File', 'Names by', 'File that is named'].map((word) => h('th', { scope: 'col' }, word)))),
        h('tbody', null, all.map((to) => h('tr', null, cells(to).map((cell) => h('td', null, cell)))))));
}

function drawRow(index) {
    const one = state.packages[index], count = broken(one);
    return h('div', { title: one.package }, count ? h('span', { class: 'mark error', role: 'img', 'aria-label': `${count} missing` }, '✕') : h('span', { class: 'mark' }, ''),
        h('span', { class: 'what' }, nameOf(one.package)), h('span', { class: 'muted' }, plural(referencesOf(one).length, 'reference')));
}

function draw() {
    const one = state.packages[at];
    pane.hidden = !one;
    pane.nextSibling.hidden = Boolean(one);
    if (one) {
        const count = broken(one);
        setText(head, `${one.package}: ${plural(referencesOf(one).length, 'reference')}, ${count} missing${one.missing ? `; ${one.why}` : ''}`);
        drawPicture(one);
        drawTable(one);
    }
}

export function makeReferences(host) {
    list = new List({ label: 'Packages', class: 'items', rowHeight: 30, draw: drawRow, onmove(index) {
        at = index;
        draw();
    } });
    head = h('span', { class: 'sum' }, '');
    picture = h('div', { class: 'picture', tabIndex: 0, role: 'region', 'aria-label': 'Files and their references' });
    table = h('div', { class: 'table', tabIndex: 0, role: 'region', 'aria-label': 'References' });
    pane = h('div', { class: 'packages' }, h('div', { class: 'pane' }, list.element), h('div', { class: 'graph' }, picture, table));
    host.append(h('div', { class: 'toolbar' }, h('h2', { class: 'heading' }, 'Packages'), head), pane,
        h('p', { class: 'none', hidden: true }, 'No packages. Open the folder of a mod that has parts such as NAME_fpk and NAME_fpkd, or NAME.fpk and NAME.fpkd.'));
    new ResizeObserver(oncePerFrame(() => known?.[at] && picture.clientWidth && picture.clientWidth !== room && drawPicture(known[at]))).observe(picture);
}

export function showReferences(keys) {
    if (known !== state.packages || keys.includes('view')) {
        known === state.packages || (at = Math.max(0, state.packages.findIndex(broken)));
        known = state.packages;
        list.set(known.length, at);
        draw();
    }
}
