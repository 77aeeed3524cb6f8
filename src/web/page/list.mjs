/* A list of any length: only rows in view have elements. Rows have one height, or those of `heightOf`. The list is one
 * tab stop; arrow keys move the current row, which assistive technology finds through aria-activedescendant. */
import { h, oncePerFrame } from './dom.mjs';

const HEIGHT_MAX = 8e6; /* of a scrolled element, in pixels; browsers limit it to about 17 million */
const SPARE = 4;        /* rows above and below those in view */

/* options: role, itemRole, label, rowHeight, heightOf(index), draw(index) -> element, onmove(index, byUser),
 * onkey(event) -> handled, skip(index): the row cannot be current. */
export class List {
    constructor(options) {
        this.options = { role: 'listbox', itemRole: 'option', rowHeight: 28, skip: () => false, ...options };
        this.count = 0;
        this.current = -1;
        this.id = `list${List.made = (List.made || 0) + 1}`;
        this.space = h('div', { class: 'list-space', role: 'presentation' });
        this.element = h('div', {
            class: `list ${options.class || ''}`, role: this.options.role, 'aria-label': options.label, tabIndex: 0,
        }, this.space);
        this.render = this.render.bind(this);
        this.later = oncePerFrame(this.render);
        this.element.addEventListener('scroll', this.later, { passive: true });
        this.element.addEventListener('keydown', (event) => this.key(event));
        this.element.addEventListener('click', (event) => this.click(event));
        new ResizeObserver(this.later).observe(this.element);
    }

    set(count, current = -1) {
        const { heightOf } = this.options;
        this.count = count;
        this.current = Math.min(current, count - 1);
        this.tops = null;
        if (heightOf) {
            this.tops = new Float64Array(count + 1);
            for (let i = 0; i < count; i++) {
                this.tops[i + 1] = this.tops[i] + heightOf(i);
            }
        }
        this.space.style.height = `${Math.min(this.top(count), HEIGHT_MAX)}px`;
        this.render();
    }

    top(index) {
        return this.tops ? this.tops[index] : index * this.options.rowHeight;
    }

    /* Index of the row at a pixel. */
    rowAt(y) {
        if (!this.tops) {
            return Math.floor(y / this.options.rowHeight);
        }
        let low = 0, high = this.count;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            this.tops[middle] <= y ? low = middle : high = middle - 1;
        }
        return low;
    }

    /* Number of rows that fit. */
    inView() {
        return Math.max(1, Math.floor(this.element.clientHeight / this.options.rowHeight));
    }

    /* Pixels of content per pixel of the scroll bar; above 1 for lists higher than HEIGHT_MAX. */
    scale() {
        const full = this.top(this.count), view = this.element.clientHeight;
        return full <= HEIGHT_MAX ? 1 : (full - view) / (HEIGHT_MAX - view);
    }

    render() {
        const { draw, itemRole } = this.options;
        const scrolled = this.element.scrollTop, top = scrolled * this.scale(), view = this.element.clientHeight;
        const first = Math.max(0, this.rowAt(top) - SPARE), last = Math.min(this.count, this.rowAt(top + view) + SPARE + 1);
        const rows = [];
        for (let i = first; i < last; i++) {
            const row = draw(i);
            row.classList.add('row');
            row.classList.toggle('current', i === this.current);
            row.style.transform = `translateY(${this.top(i) - top + scrolled}px)`;
            row.style.height = `${this.top(i + 1) - this.top(i)}px`;
            row.dataset.index = i;
            row.id = `${this.id}-${i}`;
            if (itemRole && !row.hasAttribute('role')) {
                row.setAttribute('role', itemRole);
            }
            if (row.getAttribute('role') === 'option' || row.getAttribute('role') === 'treeitem') {
                row.setAttribute('aria-selected', i === this.current);
            }
            if (row.getAttribute('role') === 'option') {
                row.setAttribute('aria-posinset', i + 1);
                row.setAttribute('aria-setsize', this.count);
            }
            rows.push(row);
        }
        this.space.replaceChildren(...rows);
        const shown = this.current >= first && this.current < last;
        this.element.toggleAttribute('aria-activedescendant', shown);
        if (shown) {
            this.element.setAttribute('aria-activedescendant', `${this.id}-${this.current}`);
        }
    }

    reveal(index) {
        const view = this.element.clientHeight, scale = this.scale(), at = this.element.scrollTop * scale;
        const top = this.top(index), bottom = this.top(index + 1);
        if (top < at || bottom > at + view) {
            const far = bottom < at - view || top > at + 2 * view;
            this.element.scrollTop = Math.max(0, far ? top - view / 2 : top < at ? top : bottom - view) / scale;
        }
    }

    move(index, byUser = false) {
        if (index < 0 || index >= this.count) {
            return;
        }
        this.current = index;
        this.reveal(index);
        this.render();
        this.options.onmove?.(index, byUser);
    }

    step(by) {
        let at = Math.max(0, Math.min(this.count - 1, this.current + by));
        const direction = by < 0 ? -1 : 1;
        while (at >= 0 && at < this.count && this.options.skip(at)) {
            at += direction;
        }
        this.move(at, true);
    }

    key(event) {
        const page = this.inView() - 1, steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
            Home: -this.count, End: this.count };
        if (this.options.onkey?.(event)) {
            event.preventDefault();
        } else if (steps[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            this.step(event.key === 'Home' && this.options.skip(0) ? -this.current + 1 : steps[event.key]);
        }
    }

    click(event) {
        const row = event.target.closest('[data-index]');
        if (row && !this.options.skip(Number(row.dataset.index))) {
            this.move(Number(row.dataset.index), true);
        }
    }
}
