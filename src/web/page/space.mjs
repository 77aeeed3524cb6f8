/* Space: the records of a file that have a position, seen from above or at an angle, on a canvas and as a list. */
import { announce, facts, h, hex, mark, oncePerFrame, plural, setText, severities, visible } from './dom.mjs';
import { Camera, roundLength } from './camera.mjs';
import { watchTheme } from './host.mjs';
import { List } from './list.mjs';
import { itemsOf } from './shapes.mjs';
import { change, placeOf, state } from './state.mjs';

const NAMES_MAX = 60, PICK = 16, REACH_LEAST = 1000; /* most names shown at once; pixels around a click; outlines up to
                                                        this length are always in view */
const rank = Object.keys(severities);

let canvas, brush, camera = null, look = null, items = [], shown = [], hidden = new Set(), layers, list, card, modes, note, hover = null, colors = {};

const redraw = oncePerFrame(() => draw());

/* ---- items ---- */

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

/* Items without those far from all others, which would shrink the rest to a dot. */
function near(drawn) {
    const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    const ranges = [0, 1, 2].map((i) => {
        const at = middle(drawn.map((item) => item.at[i])), spread = middle(drawn.map((item) => Math.abs(item.at[i] - at)));
        return [at, Math.max(spread * 12, 60)];
    });
    const kept = drawn.filter((item) => item.at.every((one, i) => Math.abs(one - ranges[i][0]) <= ranges[i][1]));
    return kept.length * 2 >= drawn.length ? kept : drawn;
}

function fitAll(all = false) {
    const drawn = items.filter((item) => item.at && !hidden.has(item.layer));
    const kept = all ? drawn : near(drawn), outside = drawn.length - kept.length;
    camera.prepare(canvas.clientWidth, canvas.clientHeight);
    camera.fit(extentOf(kept));
    const placeless = items.filter((item) => !item.at).length;
    setText(note, [placeless && `${plural(placeless, 'record')} without a place that can be drawn`,
        outside && `${outside} far outside`].filter(Boolean).join(', '));
    redraw();
}

/* Points of items and their outlines, without outline points more than 12 times as far as the median. */
function extentOf(kept) {
    const middle = [0, 1, 2].map((i) => kept.reduce((sum, item) => sum + item.at[i], 0) / (kept.length || 1));
    const away = (point) => Math.hypot(...point.map((one, i) => one - middle[i]));
    const points = kept.map((item) => [item.at, ...item.lines.flatMap((line) => line.points)]);
    const reaches = points.map((one) => one.reduce((most, point) => Math.max(most, away(point)), 0)).sort((a, b) => a - b);
    const reach = Math.max(REACH_LEAST, 12 * (reaches[reaches.length >> 1] || 0));
    return points.flatMap((one) => one.filter((point, i) => i === 0 || away(point) <= reach));
}

/* ---- drawing ---- */

function readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['text', 'muted', 'line', 'strong-line', 'surface', 'accent', 'error', 'warning', 'note']) {
        colors[name] = style.getPropertyValue(`--${name}`).trim();
    }
}

function trace(points) {
    brush.beginPath();
    points.forEach((point, i) => {
        const [x, y] = camera.project(point);
        i ? brush.lineTo(x, y) : brush.moveTo(x, y);
    });
}

function drawGrid(width, height) {
    const step = roundLength(140 / camera.zoom), [x0, y0] = camera.project([0, 0, 0]), each = step * camera.zoom;
    brush.font = '11px system-ui, sans-serif';
    brush.lineWidth = 1;
    const label = (value) => Number(value.toPrecision(6)).toLocaleString('en');
    for (let i = Math.ceil(-x0 / each); i * each + x0 < width; i++) {
        line(Math.round(x0 + i * each) + .5, 0, Math.round(x0 + i * each) + .5, height, i ? colors.line : colors['strong-line']);
        text(label(i * step), x0 + i * each + 4, 13, colors.muted);
    }
    const down = camera.up === 1 ? 1 : -1;
    for (let i = Math.ceil(-y0 / each); i * each + y0 < height; i++) {
        line(0, Math.round(y0 + i * each) + .5, width, Math.round(y0 + i * each) + .5, i ? colors.line : colors['strong-line']);
        i * each + y0 > 26 && text(label(i * step * down), 4, y0 + i * each - 4, colors.muted);
    }
}

function line(x0, y0, x1, y1, color, width = 1) {
    brush.strokeStyle = color;
    brush.lineWidth = width;
    brush.beginPath();
    brush.moveTo(x0, y0);
    brush.lineTo(x1, y1);
    brush.stroke();
}

function text(words, x, y, color) {
    brush.lineWidth = 3;
    brush.strokeStyle = colors.surface;
    words = visible(words);
    brush.strokeText(words, x, y);
    brush.fillStyle = color;
    brush.fillText(words, x, y);
}

function drawLines(item, chosen) {
    const tone = chosen ? colors.accent : item.worst ? colors[item.worst] : item.color && !isPale(item.color) ? item.color : colors.muted;
    for (const { points, dashed, filled, fine } of item.lines) {
        if (fine && !chosen && items.length > 3) {
            continue;
        }
        trace(points);
        brush.setLineDash(dashed ? [4, 3] : []);
        brush.lineWidth = chosen ? 1.75 : 1;
        brush.strokeStyle = tone;
        if (filled) {
            brush.globalAlpha = chosen ? .35 : .14;
            brush.fillStyle = tone;
            brush.fill();
        }
        brush.globalAlpha = chosen || item.worst ? 1 : .55;
        brush.stroke();
        brush.globalAlpha = 1;
    }
    brush.setLineDash([]);
    item.toward && drawArrow(item, tone, chosen);
}

/* Has a color too little contrast with the background? */
function isPale(color) {
    const [r, g, b] = color.match(/\d+/g).map(Number), light = .3 * r + .59 * g + .11 * b;
    return parseInt(colors.surface.slice(1, 3), 16) < 128 ? light < 110 : light > 150;
}

function drawArrow(item, tone, chosen) {
    const [x, y] = camera.project(item.at), [x1, y1] = camera.project(item.at.map((one, i) => one + item.toward[i]));
    const length = Math.hypot(x1 - x, y1 - y) / camera.zoom, angle = Math.atan2(y1 - y, x1 - x), long = 26 * length;
    if (length > .08) {
        const tip = [x + long * Math.cos(angle), y + long * Math.sin(angle)];
        line(x, y, ...tip, tone, chosen ? 2 : 1.25);
        for (const side of [2.6, -2.6]) {
            line(...tip, tip[0] + 7 * Math.cos(angle + side), tip[1] + 7 * Math.sin(angle + side), tone, chosen ? 2 : 1.25);
        }
    }
}

function drawPoint(item, chosen) {
    const [x, y] = item.screen, radius = chosen ? 6.5 : 4.5;
    brush.beginPath();
    item.glyph === '●' ? brush.arc(x, y, radius, 0, 7) : item.glyph === '◆' ? diamond(x, y, radius + 1) : brush.rect(x - radius + .5, y - radius + .5, 2 * radius - 1, 2 * radius - 1);
    brush.fillStyle = item.color || (item.glyph === '□' || item.glyph === '▰' || item.glyph === '+' ? colors.surface : colors.muted);
    brush.fill();
    brush.lineWidth = chosen ? 2.5 : 1.25;
    brush.strokeStyle = chosen ? colors.accent : colors.text;
    brush.stroke();
}

function diamond(x, y, radius) {
    [[0, -1], [1, 0], [0, 1], [-1, 0]].forEach(([a, b], i) => (i ? brush.lineTo(x + a * radius, y + b * radius) : brush.moveTo(x + a * radius, y + b * radius)));
    brush.closePath();
}

/* Draws names; items with findings have the symbol of the severity. */
function drawLabels(drawn, current) {
    const taken = [];
    brush.font = '600 12px system-ui, sans-serif';
    const ordered = [...drawn].sort((a, b) => (b === current) - (a === current) || Boolean(b.worst) - Boolean(a.worst));
    for (const item of ordered) {
        const [x, y] = item.screen, chosen = item === current || item === hover;
        if (!chosen && !item.worst && drawn.length > NAMES_MAX) {
            continue;
        }
        const name = [item.worst && severities[item.worst].mark, item.name || lastPart(item)].filter(Boolean).join(' ');
        const wide = brush.measureText(name).width, left = x + 9 + wide > camera.size[0] && x - 9 - wide > 0 ? x - 9 - wide : x + 9;
        const box = [left, y - 8, left + wide, y + 8];
        if (chosen || taken.every((one) => box[0] > one[2] || box[2] < one[0] || box[1] > one[3] || box[3] < one[1])) {
            taken.push(box);
            text(name, left, y + 4, item.worst ? colors[item.worst] : chosen ? colors.accent : colors.text);
        }
    }
}

const lastPart = (item) => item.node.record.path;

function drawScale(width, height) {
    const length = roundLength(Math.min(160, width / 3) / camera.zoom), wide = length * camera.zoom, y = height - 14, x = width - 16 - wide;
    line(x, y, x + wide, y, colors.text, 1.5);
    line(x, y - 4, x, y + 4, colors.text, 1.5);
    line(x + wide, y - 4, x + wide, y + 4, colors.text, 1.5);
    brush.font = '11px system-ui, sans-serif';
    brush.textAlign = 'center';
    text(`${Number(length.toPrecision(3)).toLocaleString('en')} ${look.scene.unit}`, x + wide / 2, y - 7, colors.text);
    brush.textAlign = 'start';
}

function drawAxes(height) {
    const at = [40, height - 46], zero = camera.project(camera.middle);
    brush.font = '600 11px system-ui, sans-serif';
    ['X', 'Y', 'Z'].forEach((name, i) => {
        const tip = camera.project(camera.middle.map((one, j) => one + (i === j ? 1 : 0)));
        const [dx, dy] = [tip[0] - zero[0], tip[1] - zero[1]].map((one) => one / camera.zoom * 24);
        if (Math.hypot(dx, dy) > 3) {
            line(at[0], at[1], at[0] + dx, at[1] + dy, colors.text, 1.5);
            text(name, at[0] + dx * 1.35 - 4, at[1] + dy * 1.35 + 4, colors.text);
        }
    });
}

function draw() {
    const width = canvas.clientWidth, height = canvas.clientHeight, sharp = devicePixelRatio || 1;
    if (!look || !width || !camera) {
        return;
    }
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
        canvas.width = Math.round(width * sharp);
        canvas.height = Math.round(height * sharp);
    }
    brush.setTransform(sharp, 0, 0, sharp, 0, 0);
    brush.clearRect(0, 0, width, height);
    camera.prepare(width, height);
    camera.plan && drawGrid(width, height);
    const drawn = items.filter((item) => item.at && !hidden.has(item.layer)), current = currentItem();
    drawn.forEach((item) => item.screen = camera.project(item.at));
    drawn.forEach((item) => item !== current && drawLines(item, false));
    current && drawn.includes(current) && drawLines(current, true);
    drawn.forEach((item) => item !== current && drawPoint(item, item === hover));
    current && drawn.includes(current) && drawPoint(current, true);
    drawLabels(drawn, current);
    drawScale(width, height);
    drawAxes(height);
}

/* ---- pointer and keys ---- */

function pick(x, y) {
    let best = null, least = PICK;
    for (const item of items) {
        if (item.at && item.screen && !hidden.has(item.layer)) {
            const away = Math.hypot(item.screen[0] - x, item.screen[1] - y);
            if (away < least) {
                best = item;
                least = away;
            }
        }
    }
    return best;
}

function choose(item) {
    const { record } = item.node;
    change({ at: { region: record.region || null, offset: record.offset }, finding: item.findings[0] || state.finding });
    announce(`${item.layer}: ${item.name || record.path}${item.worst ? `, ${plural(item.findings.length, 'finding')}` : ''}`);
}

function takePointer() {
    const down = new Map();
    let moved = 0, apart = 0;
    const place = (event) => [event.offsetX, event.offsetY];
    canvas.addEventListener('pointerdown', (event) => {
        down.set(event.pointerId, place(event));
        canvas.setPointerCapture(event.pointerId);
        moved = apart = 0;
    });
    canvas.addEventListener('pointermove', (event) => {
        const last = down.get(event.pointerId), now = place(event);
        if (!last) {
            const over = pick(...now);
            over !== hover && redraw();
            hover = over;
            canvas.style.cursor = over ? 'pointer' : 'grab';
            return;
        }
        const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
        down.set(event.pointerId, now);
        moved += Math.hypot(dx, dy);
        if (down.size === 2) { /* two fingers: their distance sets the scale */
            const [a, b] = [...down.values()], distance = Math.hypot(a[0] - b[0], a[1] - b[1]);
            apart && camera.zoomBy(distance / apart, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
            apart = distance;
        } else if (camera.plan || event.shiftKey || event.buttons & 2) {
            camera.pan(dx, dy);
        } else {
            turn(dx * -.008, dy * .008);
        }
        redraw();
    });
    const up = (event) => {
        const item = down.delete(event.pointerId) && moved < 4 && pick(...place(event));
        item && choose(item);
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', (event) => down.delete(event.pointerId));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
        event.preventDefault();
        camera.zoomBy(Math.exp(-event.deltaY * .0015), ...place(event));
        redraw();
    }, { passive: false });
}

function turn(yaw, pitch) {
    camera.yaw += yaw;
    camera.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.pitch + pitch));
}

function key(event) {
    const move = 40, angle = .12, free = event.shiftKey || camera.plan;
    const steps = {
        ArrowLeft: () => (free ? camera.pan(move, 0) : turn(angle, 0)), ArrowRight: () => (free ? camera.pan(-move, 0) : turn(-angle, 0)),
        ArrowUp: () => (free ? camera.pan(0, move) : turn(0, angle)), ArrowDown: () => (free ? camera.pan(0, -move) : turn(0, -angle)),
        '+': () => camera.zoomBy(1.25), '=': () => camera.zoomBy(1.25), '-': () => camera.zoomBy(.8), 0: () => fitAll(),
    };
    if (steps[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
        event.preventDefault();
        steps[event.key]();
        redraw();
    }
}

/* ---- beside the canvas ---- */

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
    swatch.style.background = item.color || 'none';
    return h('div', null, item.worst ? mark(item.worst) : h('span', { class: 'mark' }, ''),
        swatch, h('span', { class: 'what' }, item.name || lastPart(item)),
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
    camera.plan = plan;
    modes.forEach((button, i) => button.setAttribute('aria-pressed', plan === (i === 0)));
    fitAll();
}

export function makeSpace(host) {
    canvas = h('canvas', { tabIndex: 0, role: 'img', 'aria-label': 'Lights in space. Arrow keys move or turn, plus and minus zoom, 0 shows all. The list beside it holds the same.' });
    brush = canvas.getContext('2d');
    modes = ['From above', 'Turned'].map((label, i) => h('button', { 'aria-pressed': String(i === 0), onclick: () => setMode(i === 0) }, label));
    note = h('span', { class: 'sum' }, '');
    layers = h('div', { class: 'layers', role: 'group', 'aria-label': 'Layers' });
    list = new List({ label: 'What is drawn', class: 'items', rowHeight: 26, draw: drawRow, onmove: (index, byUser) => byUser && choose(shown[index]) });
    card = h('section', { class: 'card', 'aria-label': 'Record', tabIndex: 0 });
    const zooms = [['Zoom in', '+', () => camera.zoomBy(1.4)], ['Zoom out', '−', () => camera.zoomBy(1 / 1.4)]]
        .map(([label, sign, run]) => h('button', { 'aria-label': label, class: 'square', onclick() {
            run();
            redraw();
        } }, sign));
    host.append(h('div', { class: 'toolbar' }, h('h2', { class: 'which' }), h('div', { class: 'segments', role: 'group', 'aria-label': 'View' }, modes), zooms,
        h('button', { onclick: () => fitAll() }, 'Fit'), h('button', { onclick: () => fitAll(true) }, 'Fit all'), note),
    h('div', { class: 'split' }, h('div', { class: 'pane stage' }, canvas, h('p', { class: 'none', hidden: true }, 'Nothing in this file has a place in space.')),
        h('div', { class: 'side three' }, layers, list.element, card)));
    canvas.addEventListener('keydown', key);
    takePointer();
    new ResizeObserver(redraw).observe(canvas);
    watchTheme(() => {
        readColors();
        redraw();
    });
}

export function showSpace(news) {
    readColors();
    if (look !== news) {
        look = news;
        items = itemsOf(look);
        const all = new Set(items.map((item) => item.layer));
        hidden = new Set(all.size > 1 ? items.filter((item) => item.aside).map((item) => item.layer) : []);
        camera = new Camera(look.scene.up);
        joinFindings();
        setMode(modes[0].getAttribute('aria-pressed') === 'true');
    }
    joinFindings();
    const there = items.length > 0;
    canvas.hidden = !there;
    canvas.nextSibling.hidden = there;
    drawLayers();
    arrange();
    drawCard();
    redraw();
}
