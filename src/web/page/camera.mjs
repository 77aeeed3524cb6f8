/* Parallel projection from the axes of a game to the canvas: from above, or turned by two angles. */

export class Camera {
    constructor(up) {
        this.up = up;
        this.plan = true;
        this.yaw = -0.6;
        this.pitch = 0.55;
        this.middle = [0, 0, 0];
        this.zoom = 10; /* pixels per unit */
        this.size = [1, 1];
    }

    /* Splits a point into right, away and up. */
    split(point) {
        return this.up === 1 ? [point[0], -point[2], point[1]] : [point[0], point[1], point[2]];
    }

    prepare(width, height) {
        this.size = [width, height];
        const yaw = this.plan ? 0 : this.yaw, pitch = this.plan ? Math.PI / 2 : this.pitch;
        this.turn = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    }

    project(point) {
        const middle = this.split(this.middle), [right, away, up] = this.split(point).map((one, i) => one - middle[i]);
        const [cosYaw, sinYaw, cosPitch, sinPitch] = this.turn;
        const x = right * cosYaw - away * sinYaw, depth = right * sinYaw + away * cosYaw;
        return [this.size[0] / 2 + x * this.zoom, this.size[1] / 2 - (up * cosPitch + depth * sinPitch) * this.zoom];
    }

    /* Moves the view by pixels. */
    pan(dx, dy) {
        const [cosYaw, sinYaw, cosPitch, sinPitch] = this.turn, x = -dx / this.zoom, y = dy / this.zoom;
        const depth = this.plan ? y : y * sinPitch, right = x * cosYaw + depth * sinYaw, away = -x * sinYaw + depth * cosYaw;
        const up = this.plan ? 0 : y * cosPitch;
        const move = this.up === 1 ? [right, up, -away] : [right, away, up];
        this.middle = this.middle.map((one, i) => one + move[i]);
    }

    zoomBy(factor, x = this.size[0] / 2, y = this.size[1] / 2) {
        const zoom = Math.max(1e-4, Math.min(1e5, this.zoom * factor)), by = 1 - zoom / this.zoom;
        const dx = (x - this.size[0] / 2) * by, dy = (y - this.size[1] / 2) * by;
        this.zoom = zoom;
        this.pan(dx, dy);
    }

    /* Fits all points into the view, with a margin. */
    fit(points) {
        if (!points.length) {
            return;
        }
        const low = [0, 1, 2].map((i) => points.reduce((least, one) => Math.min(least, one[i]), Infinity));
        const high = [0, 1, 2].map((i) => points.reduce((most, one) => Math.max(most, one[i]), -Infinity));
        this.middle = low.map((one, i) => (one + high[i]) / 2);
        const seen = points.map((one) => this.project(one)), reach = (i) => seen.reduce((most, one) =>
            Math.max(most, Math.abs(one[i] - this.size[i] / 2)), 1e-9) / this.zoom;
        const zoom = Math.min((this.size[0] / 2 - 40) / reach(0), (this.size[1] / 2 - 44) / reach(1));
        this.zoom = Math.max(1e-4, Math.min(200, zoom > 0 ? zoom : 1));
    }
}

/* The largest length of 1, 2 or 5 times a power of ten that is at most `most`. */
export function roundLength(most) {
    const power = 10 ** Math.floor(Math.log10(most));
    return [5, 2, 1].map((one) => one * power).find((one) => one <= most) || power;
}
