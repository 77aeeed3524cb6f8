/* Bytes: hex and text of a file, fields coloured by role, and the tree of records. */
import { announce, h, hex, mark, plural, severities, setText } from './dom.mjs';
import { List } from './list.mjs';
import { fieldCard } from './field.mjs';
import { roleOf, roles } from './look.mjs';
import { change, fileAt, state } from './state.mjs';
import { makeTree, showTree } from './tree.mjs';

const rank = Object.keys(severities);

let list, legend, goto, regions, card, tip, look = null, space = null, width = 16, marks = [], fieldNow = null;

/* Finds the findings of the shown bytes, for marks in rows. */
function findMarks() {
    marks = look.findings(state.at?.region).sort((a, b) => a.offset - b.offset);
}

function markIn(from, to) {
    const found = marks.filter(({ offset, length }) => offset < to && offset + Math.max(1, length) > from)
        .map(({ finding }) => finding.severity).sort((a, b) => rank.indexOf(a) - rank.indexOf(b));
    return found[0];
}

const printable = (byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : byte === 0x20 ? '\u00b7' : '.');

function cell(field, from, to, text, index) {
    const bad = markIn(from, to), here = state.at && state.at.offset >= from && state.at.offset < to;
    return h('span', { class: `cell role-${roleOf(field)}${field === fieldNow ? ' chosen' : ''}${bad ? ` bad ${bad}` : ''}${here ? ' here' : ''}`,
        'data-field': index, 'data-at': from }, text);
}

/* Draws a row: one element per field in it. The current byte gets an element of its own. */
function drawBytes(row) {
    const from = row * width, to = Math.min(from + width, space.size), hexes = [], texts = [];
    for (let at = from; at < to;) {
        const index = look.indexAt(space.name, at), field = space.fields[index];
        let end = field ? Math.min(to, Math.max(at + 1, field.offset + field.length)) : to;
        const now = state.at?.offset ?? -1;
        end = now > at && now < end ? now : now === at ? at + 1 : end;
        const bytes = [...space.bytes.subarray(at, end)];
        hexes.push(cell(field || {}, at, end, bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' '), index),
            end < to ? (space.fields[look.indexAt(space.name, end)] === field && field === fieldNow ? h('span', { class: 'chosen' }, ' ') : ' ') : '');
        texts.push(cell(field || {}, at, end, bytes.map(printable).join(''), index));
        at = end;
    }
    const bad = markIn(from, to);
    const spare = '   '.repeat(width - (to - from));
    return h('div', { class: 'bytes' }, h('span', { class: `gutter ${bad || ''}` }, bad ? severities[bad].mark : ' '),
        h('span', { class: 'offset' }, from.toString(16).padStart(6, '0')), h('span', { class: 'hex' }, hexes, spare),
        h('span', { class: 'ascii' }, texts));
}

const rowOf = (offset) => Math.floor(offset / width);

export function select(offset, region = state.at?.region ?? null) {
    const size = look.space(region).size;
    change({ at: { region, offset: Math.max(0, Math.min(size - 1, offset)) } });
    const field = look.fieldAt(region, state.at.offset);
    announce(field ? `${hex(state.at.offset)}, ${field.path || field.role}: ${field.text ?? ''}` : hex(state.at.offset));
}

function nextFinding(direction) {
    const at = state.at?.offset ?? -1, ahead = marks.filter((one) => (direction > 0 ? one.offset > at : one.offset < at));
    const one = direction > 0 ? ahead[0] : ahead[ahead.length - 1];
    if (one) {
        change({ finding: one.finding, rule: one.finding.rule });
        select(one.offset);
    }
}

function nextField(direction) {
    const field = space.fields[look.indexAt(space.name, state.at?.offset ?? 0) + direction];
    if (field) {
        select(field.offset);
    }
}

function key(event) {
    const at = state.at?.offset ?? 0;
    const moves = {
        ArrowLeft: () => select(at - 1), ArrowRight: () => select(at + 1), ArrowUp: () => select(at - width), ArrowDown: () => select(at + width),
        PageUp: () => select(at - width * list.inView()), PageDown: () => select(at + width * list.inView()),
        Home: () => select(event.ctrlKey ? 0 : at - at % width),
        End: () => select(event.ctrlKey ? space.size - 1 : at - at % width + width - 1),
        ']': () => nextField(1), '[': () => nextField(-1), n: () => nextFinding(1), p: () => nextFinding(-1),
        Enter: () => follow(fieldNow),
    };
    if (!moves[event.key] || event.altKey || event.metaKey) {
        return false;
    }
    moves[event.key]();
    return true;
}

export function follow(field) {
    const target = field && look.target(field.leadsTo);
    if (target) {
        select(target.offset, target.region);
    }
}

function hover(event) {
    const element = event.target.closest?.('[data-field]'), field = element && space?.fields[element.dataset.field];
    if (!field) {
        tip.hidden = true;
        return;
    }
    tip.replaceChildren(fieldCard(field, { brief: true }));
    tip.hidden = false;
    const box = element.getBoundingClientRect(), below = box.bottom + tip.offsetHeight + 12 < innerHeight;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(4, box.top - tip.offsetHeight - 6)}px`;
    tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
}

function drawLegend() {
    const there = new Set(space.fields.map(roleOf));
    legend.replaceChildren(...Object.entries(roles).filter(([role]) => there.has(role || 'value'))
        .map(([role, word]) => h('span', { class: 'key' }, h('span', { class: `cell role-${role || 'value'}` }, 'a0'), word)));
}

export function makeBytes(host) {
    tip = document.getElementById('tip');
    legend = h('div', { class: 'legend', role: 'group', 'aria-label': 'Colours of fields' });
    goto = h('input', { type: 'text', class: 'goto', placeholder: 'Offset or field', 'aria-label': 'Go to an offset or a field', spellcheck: 'false',
        onkeydown(event) {
            if (event.key === 'Enter') {
                goToText(goto.value.trim());
            }
        } });
    regions = h('select', { 'aria-label': 'Part of the file', onchange: () => select(0, regions.value || null) });
    list = new List({ label: 'Bytes', class: 'hexlist', rowHeight: 22, draw: drawBytes, onkey: key });
    list.element.addEventListener('click', (event) => {
        const one = event.target.closest('[data-at]');
        if (one) {
            const box = one.getBoundingClientRect(), letters = one.textContent.length || 1;
            const each = one.closest('.hex') ? 3 : 1, letter = Math.floor((event.clientX - box.left) / (box.width / letters));
            select(Number(one.dataset.at) + Math.floor(Math.max(0, letter) / each));
        }
    }, true);
    list.element.setAttribute('aria-description', 'Arrows: byte; brackets: field; p and n: finding; Enter: where an offset leads');
    list.element.addEventListener('pointerover', hover);
    list.element.addEventListener('pointerleave', () => tip.hidden = true);
    list.element.addEventListener('scroll', () => tip.hidden = true, { passive: true });
    document.addEventListener('keydown', (event) => event.key === 'Escape' && (tip.hidden = true));
    card = h('section', { class: 'card', 'aria-label': 'Field', tabIndex: 0 });
    host.append(h('div', { class: 'toolbar' }, h('h2', { class: 'which' }), goto, regions, legend,
        h('span', { class: 'keys' }, h('kbd', null, '['), h('kbd', null, ']'), ' field ', h('kbd', null, 'p'), h('kbd', null, 'n'), ' finding ', h('kbd', null, 'Enter'), ' follow')),
    h('div', { class: 'split' }, h('div', { class: 'pane' }, list.element), h('div', { class: 'side' }, makeTree(select), card)));
    new ResizeObserver(() => look && fit()).observe(list.element);
}

function goToText(text) {
    const number = /^(0x[0-9a-f]+|[0-9]+)$/i.test(text) ? Number(text) : NaN;
    const field = Number.isNaN(number) && space.fields.find((one) => one.path.toLowerCase().includes(text.toLowerCase()));
    if (!Number.isNaN(number) && number < space.size) {
        select(number);
    } else if (field) {
        select(field.offset);
    } else {
        announce(`There is no offset or field ${text}`);
        goto.setAttribute('aria-invalid', 'true');
        return;
    }
    goto.removeAttribute('aria-invalid');
    list.element.focus();
}

/* Chooses 16, 8 or 4 bytes in a row, by the width. */
function fit() {
    const letter = list.element.clientWidth < 460 ? 7.0 : 7.3, room = list.element.clientWidth - 40 - 7 * letter;
    const fits = [16, 8, 4].find((count) => count * 4 * letter + 24 <= room) || 4;
    if (fits !== width) {
        width = fits;
        arrange();
    }
}

function arrange() {
    list.set(Math.ceil(space.size / width), state.at ? rowOf(state.at.offset) : -1);
    if (state.at) {
        list.reveal(rowOf(state.at.offset));
        list.render();
    }
}

export function showBytes(news, changed) {
    if (news !== look || changed) {
        look = news;
        regions.replaceChildren(h('option', { value: '' }, 'File'), ...look.regions.map(({ name }) => h('option', { value: name }, name)));
        regions.hidden = !look.regions.length;
        space = null;
    }
    const wanted = look.space(state.at?.region);
    if (space !== wanted) {
        space = wanted;
        regions.value = space.name || '';
        drawLegend();
    }
    findMarks();
    fieldNow = state.at ? look.fieldAt(state.at.region, state.at.offset) : null;
    arrange();
    card.replaceChildren(fieldNow ? fieldCard(fieldNow, { follow: look.target(fieldNow.leadsTo) ? follow : null, findings: marks.filter((one) => one.offset < fieldNow.offset + fieldNow.length &&
        one.offset + Math.max(1, one.length) > fieldNow.offset).map((one) => one.finding) })
        : look.partly ? h('p', { class: 'none' }, `${plural(space.size, 'byte')}. This file has more fields than are shown here; lightlint dump shows all.`)
        : h('p', { class: 'none' }, `${plural(space.size, 'byte')}. Choose a byte or a record to see its field.`));
    showTree(look, fieldNow);
}
