/* What records look like in space: a row for each, which names its fields. Lines come out in the axes of the game. */
import { nameOf } from './look.mjs';

const fromPoint = { at: ['pos_x', 'pos_y', 'pos_z'] };

/* Axes of a family: which one points up, the unit, and where a position is not written as it is: value * scale + start. */
export const worlds = {
    grx: { up: 1, unit: 'm' },
    lba: { up: 1, unit: 'm' },
    mrea: { up: 2, unit: 'units' },
    rgm: { up: 1, unit: 'units', scale: [-1 / 20, -1 / 20, 1 / 20], start: [0, 0, -0xffffff / 5120], size: 1 / 20 },
};

/* Falloff of Prime: the distance at which a light of brightness q and largest colour i falls below 15/255. */
const primeReach = ({ falloff_type: falloff, brightness: q, color }) => {
    const i = Math.max(...color);
    return falloff === 1 ? i * q / 14.705882 : falloff === 2 ? Math.sqrt(Math.max(0, i * q) / 1470.5882) : 0;
};
const primeKinds = {
    kind: 'type',
    0: { layer: 'Ambient lights' },
    1: { layer: 'Directional lights', direction: 'direction' },
    2: { layer: 'Custom lights', spheres: [primeReach] },
    3: { layer: 'Spot lights', direction: 'direction', cone: { range: primeReach, angles: ['spot_cutoff'] } },
    other: { layer: 'Custom lights', spheres: [primeReach] },
};
const prime = { at: 'position', color: 'color', glyph: '◆', ...primeKinds };
const box = { scale: 'scale', rotation: 'rotation', at: 'translation' };

/* at: position; color: fields or a field of red, green, blue, of which `bright` is the largest value; spheres: radii, the
 * outer one first; cone: length and full angles; box: edges, with the parts of the half box that are inner. */
export const shapes = {
    'grx.point_light': { layer: 'Point lights', glyph: '●', at: 'translation', color: ['color_r', 'color_g', 'color_b'],
        spheres: ['outer_range', 'inner_range'] },
    'grx.spot_light': { layer: 'Spot lights', glyph: '◆', at: 'translation', color: ['color_r', 'color_g', 'color_b'],
        direction: 'reach_point', rotation: 'rotation', cone: { range: 'outer_range', angles: ['umbra_angle', 'penumbra_angle'] } },
    'grx.probe': { layer: 'Probes', glyph: '■', ...box, box: ['inner_scale_positive', 'inner_scale_negative'] },
    'grx.light_area': { layer: 'Light areas', glyph: '□', ...box, box: [] },
    'grx.inner_area': { layer: 'Inner areas', glyph: '□', ...box, box: [] },
    'grx.irradiation_point': { layer: 'Irradiation points', glyph: '+', ...box, box: [] },
    'grx.face': { layer: 'Occluder faces', glyph: '▰', polygon: { first: 'first_vertex', count: 'vertex_count', of: 'grx.vertex', at: 'position' } },
    'mrea.light': prime,
    'mrea.light_mp3': prime,
    'lba.locator': { layer: 'Locators', glyph: '■', at: 'position', rotation: 'rotation' },
    'lba.scaled_locator': { layer: 'Locators', glyph: '■', at: 'position', rotation: 'rotation' },
    'rgm.light': { layer: 'Lights', glyph: '●', ...fromPoint, color: ['red', 'green', 'blue'], bright: 255, spheres: ['radius'] },
    'rgm.object': { layer: 'Objects', glyph: '■', ...fromPoint, spheres: ['radius'] },
    'rgm.static_object': { layer: 'Static objects', glyph: '□', ...fromPoint },
    'rgm.rope': { layer: 'Ropes', glyph: '+', ...fromPoint },
    'rgm.flat_object': { layer: 'Flats', glyph: '▰', ...fromPoint },
    'rgm.marker': { layer: 'Markers', glyph: '+', ...fromPoint },
    'rgm.walk_map': { layer: 'Walk maps', glyph: '◆', ...fromPoint, spheres: ['radius'] },
};

const FAR = 1e7; /* places beyond it are no places of a level: they are listed, not drawn */
const ROUND = 64; /* corners of a circle */

const finite = (values) => Array.isArray(values) && values.every((one) => typeof one === 'number' && Math.abs(one) < FAR);
const valuesOf = (record) => Object.fromEntries(record.fields.map((field) => [field.name, field.value]));
const read = (values, what) => (typeof what === 'function' ? what(values) : Array.isArray(what) ? what.map((name) => values[name]) : values[what]);

/* A vector turned by a unit quaternion X Y Z W. */
export function turned([x, y, z], q) {
    if (!finite(q) || q.length !== 4) {
        return [x, y, z];
    }
    const [a, b, c, w] = q, t = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
    return [x + w * t[0] + b * t[2] - c * t[1], y + w * t[1] + c * t[0] - a * t[2], z + w * t[2] + a * t[1] - b * t[0]];
}

const add = (a, b, by = 1) => [a[0] + b[0] * by, a[1] + b[1] * by, a[2] + b[2] * by];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => {
    const length = Math.hypot(...a);
    return length > 1e-9 && length < FAR ? a.map((one) => one / length) : null;
};

/* Corners of a circle around `at`, in the plane of `a` and `b`. */
function circle(at, a, b, radius) {
    return Array.from({ length: ROUND + 1 }, (_, i) => {
        const angle = i / ROUND * 2 * Math.PI;
        return add(add(at, a, radius * Math.cos(angle)), b, radius * Math.sin(angle));
    });
}

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

function sphere(at, radius, dashed, up) {
    return [[0, 1], [1, 2], [0, 2]].map(([a, b]) => ({ points: circle(at, AXES[a], AXES[b], radius), dashed,
        fine: a === up || b === up }));
}

/* The light ends at its range in all directions: the rim of the cone lies on a sphere. */
function cone(at, direction, range, angle, dashed) {
    const half = Math.min(180, Math.max(0, angle)) / 2 * Math.PI / 180;
    const side = unit(cross(direction, Math.abs(direction[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0])), other = cross(direction, side);
    const rim = circle(add(at, direction, range * Math.cos(half)), side, other, range * Math.sin(half));
    return [{ points: rim, dashed }, ...[0, 16, 32, 48].map((corner) => ({ points: [at, rim[corner]], dashed }))];
}

/* The twelve edges of a box from `low` to `high`, in its own axes. */
function boxLines(at, low, high, rotation, dashed) {
    const corner = (i) => add(at, turned([i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]], rotation));
    return [[0, 1, 3, 2, 0, 4, 5, 7, 6, 4], [1, 5], [3, 7], [2, 6]].map((path) => ({ points: path.map(corner), dashed }));
}

function boxesOf(row, values, at) {
    const edges = read(values, row.scale), rotation = read(values, row.rotation);
    if (!finite(edges)) {
        return [];
    }
    const half = edges.map((edge) => edge / 2), lines = boxLines(at, half.map((one) => -one), half, rotation, false);
    const [positive, negative] = row.box.map((name) => values[name]);
    return finite(positive) && finite(negative) ? lines.concat(boxLines(at, half.map((one, i) => -one * negative[i]),
        half.map((one, i) => one * positive[i]), rotation, true)) : lines;
}

function polygonOf({ first, count, of, at }, values, node) {
    const vertices = node.parent?.corners || (node.parent ? node.parent.corners = node.parent.children
        .filter((child) => child.record.record === of).map((child) => valuesOf(child.record)[at]) : []);
    const corners = vertices.slice(values[first], values[first] + Math.min(values[count], 4096));
    return corners.length > 1 && corners.every(finite) ? [{ points: [...corners, corners[0]], filled: true }] : null;
}

function linesOf(row, values, at, world) {
    const lines = [], rotation = row.cone || row.direction ? read(values, row.rotation) : null;
    const radii = (row.spheres || []).map((one) => read(values, one) * (world.size || 1)).filter((one) => one > 0 && one < FAR);
    radii.forEach((radius, i) => lines.push(...sphere(at, radius, i > 0, world.up)));
    const toward = row.direction && finite(values[row.direction]) && unit(turned(values[row.direction], rotation));
    const range = row.cone ? read(values, row.cone.range) : 0;
    if (toward && range > 0 && range < FAR) {
        row.cone.angles.forEach((name, i) => typeof values[name] === 'number' && lines.push(...cone(at, toward, range, values[name], i > 0)));
    }
    return { lines: row.box ? lines.concat(boxesOf(row, values, at)) : lines, toward: toward || null };
}

function colorOf(row, values) {
    const color = row.color && read(values, row.color);
    if (!finite(color)) {
        return null;
    }
    const top = row.bright || Math.max(1, ...color);
    return `rgb(${color.map((one) => Math.round(255 * Math.max(0, Math.min(1, one / top)))).join(' ')})`;
}

/* A record as it is drawn: {node, layer, at, lines, toward, color}; `at` is null where it has no place that can be drawn. */
function itemOf(node, row, world) {
    const values = valuesOf(node.record), kind = row.kind ? { ...row, ...(row[values[row.kind]] || row.other) } : row;
    const item = { node, layer: kind.layer, glyph: kind.glyph, name: nameOf(node), at: null, lines: [], toward: null, color: colorOf(kind, values) };
    if (kind.polygon) {
        const lines = polygonOf(kind.polygon, values, node);
        const corners = lines?.[0].points.slice(0, -1);
        return lines ? { ...item, lines, at: corners.reduce((sum, one) => add(sum, one, 1 / corners.length), [0, 0, 0]) } : item;
    }
    let at = read(values, kind.at);
    if (!finite(at) || at.length !== 3) {
        return item;
    }
    at = at.map((one, i) => one * (world.scale?.[i] ?? 1) + (world.start?.[i] ?? 0));
    return { ...item, at, ...linesOf(kind, values, at, world) };
}

export function itemsOf(look) {
    const world = worlds[look.tree.format];
    return world ? look.nodes.filter((node) => shapes[node.record.record]).map((node) => itemOf(node, shapes[node.record.record], world)) : [];
}
