/* The contents of one file as read by the library: records as a tree, and fields by offset. */
import { placeOf, state } from './state.mjs';

export const roles = { /* roles of fields, with the words of the legend */
    '': 'value', magic: 'magic', size: 'size', count: 'count', offset: 'offset', hash: 'hash', string: 'text',
    padding: 'padding', reserved: 'reserved', terminator: 'end mark', bytes: 'bytes', gap: 'gap', unparsed: 'not read',
};
export const roleOf = (field) => (field.role in roles ? field.role : '') || 'value';

/* A value as text: strings unchanged, arrays in brackets. */
const textOf = (value) => (value === undefined || value === null ? '' : Array.isArray(value) ? `[${value.map(textOf).join(', ')}]`
    : typeof value === 'object' ? JSON.stringify(value) : String(value));

const nodeOf = (record) => ({ record, children: [], parent: null, open: false });

/* Path of the parent: "lights.layer[0].light[1]" -> "lights.layer[0]", "MPOB[3]" -> "MPOB", "" if there is none. Names
 * in brackets may contain any character. */
function parentPath(path) {
    let depth = 0;
    for (let i = path.length - 1; i >= 0; i--) {
        depth += path[i] === ']' ? 1 : path[i] === '[' ? -1 : 0;
        if (depth <= 0 && (path[i] === '.' || (path[i] === '[' && i < path.length))) {
            return path.slice(0, i);
        }
    }
    return '';
}

export class Look {
    constructor(path, { tree, space: scene, bytes }) {
        Object.assign(this, { path, tree, scene, bytes, records: tree.records, regions: tree.regions || [], members: tree.members || [], partly: Boolean(tree.partly) });
        this.nodes = this.records.map(nodeOf);
        this.roots = [];
        this.byPath = new Map();
        this.spaces = new Map([[null, { name: null, size: bytes.length, bytes, fields: [], nodes: [] }]]);
        this.regions.forEach((region) => this.spaces.set(region.name, { ...region, fields: [], nodes: [] }));
        this.join();
    }

    join() {
        const key = (region, path) => `${region || ''}\n${path}`;
        for (const node of this.nodes) {
            const { record } = node, at = key(record.region, record.path);
            if (record.record && !this.byPath.has(at)) {
                this.byPath.set(at, node);
            }
        }
        for (const node of this.nodes) {
            const { record } = node;
            let path = record.record ? parentPath(record.path) : record.path, parent;
            while (path && !(parent = this.byPath.get(key(record.region, path)))) {
                path = parentPath(path);
            }
            node.parent = parent && parent !== node ? parent : null;
            (node.parent ? node.parent.children : this.roots).push(node);
            const space = this.spaces.get(record.region || null);
            record.fields.forEach((field) => space.fields.push(Object.assign(field, { text: textOf(field.value), node, record, region: record.region || null })));
            space.nodes.push(node);
        }
        this.spaces.forEach((space) => space.fields.sort((a, b) => a.offset - b.offset || a.length - b.length));
    }

    space(region) {
        return this.spaces.get(region || null) || this.spaces.get(null);
    }

    /* Index of the field that contains a byte; the last field for a byte beyond the end. */
    indexAt(region, offset) {
        const { fields } = this.space(region);
        let low = 0, high = fields.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            fields[middle].offset <= offset ? low = middle : high = middle - 1;
        }
        return fields.length ? low : -1;
    }

    fieldAt(region, offset) {
        return this.space(region).fields[this.indexAt(region, offset)];
    }

    /* Finds the target of `leadsTo`: the path of a record, or words that begin with "in " and end with an offset. */
    target(leadsTo) {
        const node = leadsTo && this.nodes.find((one) => one.record.path === leadsTo);
        const place = !node && /\+0x([0-9a-f]+)$/.exec(leadsTo || '');
        return node ? { region: node.record.region || null, offset: node.record.offset }
            : place ? { region: null, offset: parseInt(place[1], 16) } : null;
    }

    /* Findings of this file in one space, by offset. */
    findings(region) {
        return state.findings.filter((finding) => finding.file === this.path)
            .map((finding) => ({ finding, ...placeOf(finding) }))
            .filter((place) => (place.region || null) === (region || null));
    }
}

/* Text of a string field without the zeros that fill it. */
const plainOf = (field) => (field.role === 'string' ? field.text.replace(/(\\x00)+$/, '') : '');

/* Name of a record: the first string in it or in a small child. */
export function nameOf(node) {
    const texts = [node, ...node.children.filter((child) => child.record.fields.length <= 3)].flatMap((one) => one.record.fields.map(plainOf));
    return texts.find(Boolean) || '';
}
