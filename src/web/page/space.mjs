/* Space: the records of a file that have a position, seen from above or at an angle, as the library draws them, and as a
 * list. */
import { announce, facts, h, hex, mark, oncePerFrame, plural, setText, severities } from './dom.mjs';
import { List } from './list.mjs';
import { change, placeOf, state } from './state.mjs';

const PICK = 16, ZOOM = [1e-4, 1e5]; /* pixels around a click; pixels per unit */
const rank = Object.keys(severities);

let library, fail, picture, camera, look = null, items = [], shown = [], hidden = new Set(), layers, list, card, modes, note;
let drawing = false, late = false; /* the library draws; the view has changed since */

const redraw = oncePerFrame(() => draw());

/* ---- items ---- */

/* The things, each with its number in the scene and the node of its record. */
function itemsOf({ scene, nodes }) {
    const key = (region, offset, path) => `${region || ''}\n${offset}\n${path}`, { things } = scene;
    const known = new Map(things.length ? nodes.map((node) => [key(node.record.region, node.record.offset, node.record.path), node]) : []);
    return things.map((thing, index) => ({ ...thing, index, node: known.get(key(thing.region, thing.offset, thing.path)) })).filter((item) => item.node);
}

function worstOf(findings) {
    return findings.map((finding) => finding.severity).sort((a, b) => rank.indexOf(a) - rank.indexOf(b))[0] || null;
}

/* Assigns findings to items: to the record with the first byte, or the nearest drawn record that contains it. */
function joinFindings() {
    const byNode = new Map(items.map((item) => [item.node, item]));
    items.forEach((item) => item.findings = []);
    for (const finding of state.findings) {
        if (finding.file === look.path) {
            const { region, offset } = placeOf(finding);
            let node = look.fieldAt(region, offset)?.node;
            while (node && !byNode.has(node)) {
                node = node.parent;
            }
            node && byNode.get(node).findings.push(finding);
        }
    }
    items.forEach((item) => item.worst = worstOf(item.findings));
}

function currentItem() {
    let node = state.at && look.fieldAt(state.at.region, state.at.offset)?.node;
    const byNode = (one) => items.find((item) => item.node === one);
    while (node && !byNode(node)) {
        node = node.parent;
    }
    return node ? byNode(node) : null;
}

/* ---- drawing ---- */

/* Has the library draw what the camera sees. While it draws, later calls wait and become one. */
async function draw() {
    const { clientWidth: width, clientHeight: height } = picture, seen = look, sent = camera;
    late = drawing;
    if (drawing || !seen || !width || !items.length) {
        return;
    }
    const names = [...new Set(seen.scene.things.map((thing) => thing.layer))];
    const off = names.reduce((bits, name, i) => bits + (hidden.has(name) ? 2 ** i : 0), 0), { zoom } = camera;
    const asked = { ...camera, width, height, hidden: off, chosen: currentItem()?.index ?? -1 };
    camera.move = [0, 0];
    drawing = true;
    try {
        const text = await library.call('draw', asked);
        seen === look && show(text, sent, zoom);
    } catch (error) {
        seen === look && fail(error);
    }
    drawing = false;
    late && redraw();
}

function show(text, sent, zoom) {
    const made = new DOMParser().parseFromString(text, 'text/html'), svg = made.querySelector('svg');
    picture.replaceChildren(svg || '');
    setText(note, [...made.querySelectorAll('figcaption p')].map((one) => one.textContent).join(', '));
    if (svg && sent === camera) {
        const [now, ...middle] = svg.dataset.camera.split(' ').map(Number);
        Object.assign(camera, { middle, zoom: zoom ? camera.zoom : now });
    }
}

function fitAll(far = false) {
    camera = { ...camera, zoom: 0, move: [0, 0], far };
    redraw();
}

function move(dx, dy) {
    camera.move = [camera.move[0] + dx, camera.move[1] + dy];
}

/* Zooms; what is at x, y in the window, or in the middle, stays there. */
function zoomBy(factor, x, y) {
    const ground = picture.querySelector('.ground');
    if (!ground) {
        return; /* nothing is drawn yet */
    }
    const { left, top, width, height } = ground.getBoundingClientRect(), middle = [left + width / 2, top + height / 2];
    const zoom = Math.max(ZOOM[0], Math.min(ZOOM[1], camera.zoom * factor)), by = camera.zoom ? zoom / camera.zoom : 1;
    camera.zoom &&= zoom;
    camera.move = [x ?? middle[0], y ?? middle[1]].map((at, i) => camera.move[i] * by + (at - middle[i]) * (1 - by));
    redraw();
}

function turn(yaw, pitch) {
    camera.yaw = (camera.yaw + yaw + 2 * Math.PI) % (2 * Math.PI);
    camera.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.pitch + pitch));
}

/* ---- pointer and keys ---- */

/* The item whose point is next to a click. */
function pick(x, y) {
    let best = null, least = PICK;
    for (const dot of picture.querySelectorAll('.dot')) {
        const { left, top, width, height } = dot.children[1].getBoundingClientRect(), away = Math.hypot(left + width / 2 - x, top + height / 2 - y);
        if (away < least) {
            best = dot;
            least = away;
        }
    }
    return best && items.find((item) => item.index === Number(best.dataset.thing));
}

function choose(item) {
    const { record } = item.node;
    change({ at: { region: record.region || null, offset: record.offset }, finding: item.findings[0] || state.finding });
    announce(`${item.layer}: ${item.name || record.path}${item.worst ? `, ${plural(item.findings.length, 'finding')}` : ''}`);
}

function takePointer() {
    const down = new Map();
    let moved = 0, apart = 0;
    const place = (event) => [event.clientX, event.clientY];
    picture.addEventListener('pointerdown', (event) => {
        down.set(event.pointerId, place(event));
        picture.setPointerCapture(event.pointerId);
        moved = apart = 0;
    });
    picture.addEventListener('pointermove', (event) => {
        const last = down.get(event.pointerId), now = place(event);
        if (!last) {
            return;
        }
        const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
        down.set(event.pointerId, now);
        moved += Math.hypot(dx, dy);
        if (down.size === 2) { /* two fingers: their distance sets the scale */
            const [a, b] = [...down.values()], distance = Math.hypot(a[0] - b[0], a[1] - b[1]);
            apart && zoomBy(distance / apart, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
            apart = distance;
        } else if (!camera.turned || event.shiftKey || event.buttons & 2) {
            move(dx, dy);
        } else {
            turn(dx * -.008, dy * .008);
        }
        redraw();
    });
    const up = (event) => {
        const item = down.delete(event.pointerId) && moved < 4 && pick(...place(event));
        item && choose(item);
    };
    picture.addEventListener('pointerup', up);
    picture.addEventListener('pointercancel', (event) => down.delete(event.pointerId));
    picture.addEventListener('contextmenu', (event) => event.preventDefault());
    picture.addEventListener('wheel', (event) => {
        event.preventDefault();
        zoomBy(Math.exp(-event.deltaY * .0015), ...place(event));
    }, { passive: false });
}

function key(event) {
    const step = 40, angle = .12, free = event.shiftKey || !camera.turned;
    const steps = {
        ArrowLeft: () => (free ? move(step, 0) : turn(angle, 0)), ArrowRight: () => (free ? move(-step, 0) : turn(-angle, 0)),
        ArrowUp: () => (free ? move(0, step) : turn(0, angle)), ArrowDown: () => (free ? move(0, -step) : turn(0, -angle)),
        '+': () => zoomBy(1.25), '=': () => zoomBy(1.25), '-': () => zoomBy(.8), 0: () => fitAll(),
    };
    if (steps[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
        event.preventDefault();
        steps[event.key]();
        redraw();
    }
}

/* ---- beside the picture ---- */

function drawLayers() {
    const counts = new Map();
    items.forEach((item) => counts.set(item.layer, [...(counts.get(item.layer) || []), item]));
    layers.replaceChildren(h('h2', null, 'Layers'), ...[...counts].map(([layer, of]) => h('label', { class: 'layer' },
        h('input', { type: 'checkbox', checked: !hidden.has(layer), onchange(event) {
            event.target.checked ? hidden.delete(layer) : hidden.add(layer);
            arrange();
            redraw();
        } }), h('span', { class: 'glyph', 'aria-hidden': 'true' }, of[0].glyph || ''), h('span', { class: 'what' }, layer),
        worstOf(of.flatMap((item) => item.findings)) ? mark(worstOf(of.flatMap((item) => item.findings))) : null,
        h('span', { class: 'muted' }, of.length.toLocaleString('en')))));
}

function arrange() {
    shown = items.filter((item) => !hidden.has(item.layer));
    list.set(shown.length, shown.indexOf(currentItem()));
    list.current >= 0 && list.reveal(list.current);
}

function drawRow(index) {
    const item = shown[index], swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
    swatch.style.background = item.color ? `rgb(${item.color.join(' ')})` : 'none';
    return h('div', null, item.worst ? mark(item.worst) : h('span', { class: 'mark' }, ''),
        swatch, h('span', { class: 'what' }, item.name || item.path),
        h('span', { class: 'muted' }, item.at ? item.at.map((one) => Number(one.toPrecision(5))).join(', ') : 'no place'));
}

function drawCard() {
    const item = currentItem();
    if (!item) {
        card.replaceChildren(h('p', { class: 'none' }, 'Choose a light in the picture or in the list.'));
        return;
    }
    const { record } = item.node;
    card.replaceChildren(h('h2', null, item.name || h('code', null, record.path)),
        ...item.findings.map((finding) => h('button', { class: `problem ${finding.severity}`, onclick: () => change({ finding, rule: finding.rule, view: 'findings', at: placeOf(finding) }) },
            mark(finding.severity), h('span', null, h('code', null, finding.rule), ` ${finding.path}: found '${finding.found}', expected '${finding.expected}'.`))),
        h('div', { class: 'actions' }, h('button', { onclick: () => change({ view: 'bytes' }) }, 'Show the bytes')),
        facts([['Record', h('code', null, record.path)], ...record.fields.filter((field) => !['padding', 'reserved', 'magic', 'size', 'hash', 'offset'].includes(field.role))
            .map((field) => [field.name, h('code', { title: field.meaning || null }, String(field.text ?? ''))]),
        ['Place', h('code', null, `+${hex(record.offset)}`)]]));
}

function setMode(plan) {
    camera.turned = !plan;
    modes.forEach((button, i) => button.setAttribute('aria-pressed', plan === (i === 0)));
    fitAll();
}

export function makeSpace(host, lib, actions) {
    library = lib;
    fail = actions.fail;
    picture = h('div', { class: 'plan', tabIndex: 0, role: 'group', 'aria-label': 'Lights in space. Arrow keys move or turn, plus and minus zoom, 0 shows all. The list beside it holds the same.' });
    modes = ['From above', 'Turned'].map((label, i) => h('button', { 'aria-pressed': String(i === 0), onclick: () => setMode(i === 0) }, label));
    note = h('span', { class: 'sum' }, '');
    layers = h('div', { class: 'layers', role: 'group', 'aria-label': 'Layers' });
    list = new List({ label: 'What is drawn', class: 'items', rowHeight: 26, draw: drawRow, onmove: (index, byUser) => byUser && choose(shown[index]) });
    card = h('section', { class: 'card', 'aria-label': 'Record', tabIndex: 0 });
    const zooms = [['Zoom in', '+', 1.4], ['Zoom out', '−', 1 / 1.4]]
        .map(([label, sign, factor]) => h('button', { 'aria-label': label, class: 'square', onclick: () => zoomBy(factor) }, sign));
    host.append(h('div', { class: 'toolbar' }, h('h2', { class: 'which' }), h('div', { class: 'segments', role: 'group', 'aria-label': 'View' }, modes), zooms,
        h('button', { onclick: () => fitAll() }, 'Fit'), h('button', { onclick: () => fitAll(true) }, 'Fit all'), note),
    h('div', { class: 'split' }, h('div', { class: 'pane stage' }, picture, h('p', { class: 'none', hidden: true }, 'Nothing in this file has a place in space.')),
        h('div', { class: 'side three' }, layers, list.element, card)));
    picture.addEventListener('keydown', key);
    takePointer();
    new ResizeObserver(redraw).observe(picture);
}

export function showSpace(news) {
    if (look !== news) {
        look = news;
        items = itemsOf(look);
        const all = new Set(items.map((item) => item.layer));
        hidden = new Set(all.size > 1 ? items.filter((item) => item.aside).map((item) => item.layer) : []);
        camera = { turned: false, yaw: 5.7, pitch: .55, zoom: 0, middle: [0, 0, 0], move: [0, 0], far: false };
        joinFindings();
        setMode(modes[0].getAttribute('aria-pressed') === 'true');
    }
    joinFindings();
    const there = items.length > 0;
    picture.hidden = !there;
    picture.nextSibling.hidden = there;
    drawLayers();
    arrange();
    drawCard();
    redraw();
}
