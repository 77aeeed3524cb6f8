/* Converts the solids of the library to lines, in the axes of the game. */

const ROUND = 64; /* corners of a circle */

const add = (a, b, by = 1) => [a[0] + b[0] * by, a[1] + b[1] * by, a[2] + b[2] * by];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((one) => one / Math.hypot(...a));

/* Rotates a vector by a quaternion X Y Z W. */
function turned(v, q) {
    const by = cross(q, v);
    return add(add(v, by, 2 * q[3]), cross(q, by), 2);
}

/* Corners of a circle around `at`, in the plane of the unit vectors `a` and `b`. */
function circle(at, a, b, radius) {
    return Array.from({ length: ROUND + 1 }, (_, i) => {
        const angle = i / ROUND * 2 * Math.PI;
        return add(add(at, a, radius * Math.cos(angle)), b, radius * Math.sin(angle));
    });
}

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

const linesOf = {
    sphere: ({ reach }, { at }, up) => [[0, 1], [1, 2], [0, 2]].map(([a, b]) => ({ points: circle(at, AXES[a], AXES[b], reach), fine: a === up || b === up })),

    /* The light has the same range in all directions, so the rim of the cone is on a sphere. */
    cone({ reach, angle }, { at, toward }) {
        const half = angle / 2 * Math.PI / 180, side = unit(cross(toward, Math.abs(toward[1]) < 0.9 ? AXES[1] : AXES[0]));
        const rim = circle(add(at, toward, reach * Math.cos(half)), side, cross(toward, side), reach * Math.sin(half));
        return [{ points: rim }, ...[0, 16, 32, 48].map((corner) => ({ points: [at, rim[corner]] }))];
    },

    /* The twelve edges. */
    box({ low, high, rotation }, { at }) {
        const corner = (i) => add(at, turned([i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]], rotation));
        return [[0, 1, 3, 2, 0, 4, 5, 7, 6, 4], [1, 5], [3, 7], [2, 6]].map((path) => ({ points: path.map(corner) }));
    },

    polygon: ({ corners }) => [{ points: [...corners, corners[0]], filled: true }],
};

/* The things to draw, each with the node of its record; `at` is null if it has no position that can be drawn. */
export function itemsOf(look) {
    const key = (region, offset, path) => `${region || ''}\n${offset}\n${path}`, { up, things } = look.scene;
    const nodes = new Map(things.length ? look.nodes.map((node) => [key(node.record.region, node.record.offset, node.record.path), node]) : []);
    return things.map((thing) => ({
        node: nodes.get(key(thing.region, thing.offset, thing.path)), layer: thing.layer, glyph: thing.glyph, aside: thing.aside, name: thing.name || '',
        at: thing.at || null, toward: thing.toward || null, color: thing.color ? `rgb(${thing.color.join(' ')})` : null,
        lines: thing.solids.flatMap((solid) => linesOf[solid.kind](solid, thing, up).map((line) => ({ ...line, dashed: solid.dashed }))),
    })).filter((item) => item.node);
}
