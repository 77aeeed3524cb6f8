/* Creates elements of the page. Texts from files become text nodes, never markup. */

const properties = new Set(['value', 'checked', 'disabled', 'hidden', 'tabIndex', 'indeterminate']);

/* h('button', {class: 'plain', onclick: f}, 'text', element, null) */
export function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else if (properties.has(name)) {
            element[name] = value;
        } else if (value !== null && value !== undefined && value !== false) {
            element.setAttribute(name, value === true ? '' : visible(value));
        }
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
        .map((child) => (child instanceof Node ? child : visible(child))));
    return element;
}

/* Escapes marks that reorder text, like the program does: \xe2\x80\xae for U+202E. */
export function visible(text) {
    return String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (sign) =>
        [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16)}`).join(''));
}

export const byId = (id) => document.getElementById(id);

export function setText(element, text) {
    const shown = visible(text);
    if (element.textContent !== shown) {
        element.textContent = shown;
    }
}

/* Announces a text to assistive technology. */
export function announce(text) {
    setText(byId('status'), text);
}

/* A definition list of [name, value] pairs. Values may be elements; pairs without value are left out. */
export function facts(rows) {
    return h('dl', { class: 'facts' },
        rows.filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false)
            .map(([name, value]) => [h('dt', null, name), h('dd', null, value)]));
}

export const hex = (number, digits = 0) => '0x' + number.toString(16).padStart(digits, '0');
export const plural = (count, word) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

export function bytesText(size) {
    const units = ['bytes', 'KiB', 'MiB', 'GiB'];
    let unit = 0;
    while (size >= 1024 && unit < units.length - 1) {
        size /= 1024;
        unit++;
    }
    return `${unit ? size.toFixed(1) : size.toLocaleString('en')} ${size === 1 && !unit ? 'byte' : units[unit]}`;
}

/* Severities have a symbol and a word besides their colour. */
export const severities = {
    error: { mark: '✕', word: 'error', many: 'errors' },
    warning: { mark: '▲', word: 'warning', many: 'warnings' },
    note: { mark: '●', word: 'note', many: 'notes' },
};

export function mark(severity) {
    return h('span', { class: `mark ${severity}`, role: 'img', 'aria-label': severities[severity].word },
        severities[severity].mark);
}

/* Returns a function that runs `run` at most once per frame. */
export function oncePerFrame(run) {
    let asked = 0;
    return () => {
        asked ||= requestAnimationFrame(() => {
            asked = 0;
            run();
        });
    };
}
