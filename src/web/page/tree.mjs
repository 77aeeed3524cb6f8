/* The records of a file as a tree, with their fields; open nodes stay open while the file is shown. */
import { h } from './dom.mjs';
import { List } from './list.mjs';
import { nameOf, roleOf } from './look.mjs';

let list, look = null, rows = [];

/* Makes the visible rows, {node, depth} and {field, depth}. Uses a stack, as files may be nested deeply. */
function arrange() {
    rows = [];
    const stack = [...look.roots].reverse().map((node) => ({ node, depth: 0 }));
    while (stack.length) {
        const row = stack.pop(), { node, depth } = row;
        rows.push(row);
        if (node?.open) {
            const fields = node.record.fields.map((field) => ({ field, node: null, owner: node, depth: depth + 1 }));
            rows.push(...fields);
            stack.push(...node.children.map((child) => ({ node: child, depth: depth + 1 })).reverse());
        }
    }
}

const lastPart = (path) => /(?:[^.[\]]*(?:\[[^\]]*\])?)$/.exec(path)?.[0] || path;

function draw(index) {
    const { node, field, depth } = rows[index];
    const row = node
        ? h('div', { class: `node${node.record.record ? '' : ' role-gap'}`, 'aria-expanded': String(node.open) },
            h('span', { class: 'twist', 'aria-hidden': 'true' }, node.open ? '▾' : '▸'),
            h('span', { class: 'what' }, lastPart(node.record.path) || node.record.fields[0]?.role || 'bytes'),
            h('span', { class: 'muted' }, nameOf(node) || node.record.meaning || ''))
        : h('div', { class: 'leaf' }, h('span', { class: `dot role-${roleOf(field)}`, 'aria-hidden': 'true' }),
            h('span', { class: 'what' }, field.name || field.role), h('span', { class: 'value' }, String(field.text ?? '')));
    row.setAttribute('aria-level', depth + 1);
    row.style.paddingLeft = `${8 + depth * 14}px`;
    return row;
}

function setOpen(index, open) {
    const { node } = rows[index];
    if (node && node.open !== open) {
        node.open = open;
        arrange();
        list.set(rows.length, index);
    }
}

function key(event) {
    const at = list.current, row = rows[at];
    if (event.key === 'ArrowRight' && row) {
        row.node && !row.node.open ? setOpen(at, true) : list.step(1);
    } else if (event.key === 'ArrowLeft' && row) {
        const above = row.node?.open ? -1 : rows.findLastIndex((one, i) => i < at && one.node && one.depth < row.depth);
        row.node?.open ? setOpen(at, false) : above >= 0 && list.move(above, true);
    } else if ((event.key === 'Enter' || event.key === ' ') && row?.node) {
        setOpen(at, !row.node.open);
    } else {
        return false;
    }
    return true;
}

/* select: goes to an offset of a region. */
export function makeTree(select) {
    list = new List({
        role: 'tree', itemRole: 'treeitem', label: 'Records', class: 'tree', rowHeight: 24, draw, onkey: key,
        onmove(index, byUser) {
            const { node, field } = rows[index], place = field || node.record.fields[0];
            if (byUser && place) {
                select(place.offset, (node || rows[index].owner).record.region || null);
            }
        },
    });
    list.element.addEventListener('click', (event) => {
        const row = event.target.closest('[data-index]');
        if (event.target.closest('.twist') && row) {
            setOpen(Number(row.dataset.index), !rows[row.dataset.index].node.open);
        }
    });
    return list.element;
}

const isFor = (row, field) => row.field && row.owner === field.node && row.field.offset === field.offset && row.field.name === field.name;

/* Opens the records around a field and selects it. If the row of its record is current and the field is its first one,
 * that stays. */
export function showTree(news, field) {
    if (look !== news) {
        look = news;
        arrange();
    }
    const now = rows[list.current];
    let index = list.current;
    if (field && !(now?.node === field.node && field.node.record.fields[0].offset === field.offset) && !(now && isFor(now, field))) {
        for (let node = field.node; node; node = node.parent) {
            node.open = true;
        }
        arrange();
        index = rows.findIndex((row) => isFor(row, field));
    }
    list.set(rows.length, field ? index : -1);
    if (field) {
        list.reveal(index);
        list.render();
    }
}
