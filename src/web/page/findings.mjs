/* Findings: a list with search, filters and groups, and details of the selected one. */
import { announce, facts, h, hex, mark, plural, severities, setText } from './dom.mjs';
import { pathText, tally, counts } from './files.mjs';
import { List } from './list.mjs';
import { change, goTo, placeOf, state } from './state.mjs';

const groupings = {
    file: { label: 'file', key: (finding) => finding.file, draw: (key) => pathText(key) },
    severity: { label: 'severity', key: (finding) => finding.severity, draw: (key) => [mark(key), ' ', severities[key].many] },
    rule: { label: 'rule', key: (finding) => finding.rule, draw: (key, first) => `${key} ${first.name}` },
};
const order = Object.keys(severities);

const filter = { text: '', off: new Set(), group: 'file' };
let list, detail, sum, toggles, library, rows = [], explained = new Map();

const words = (finding) => [finding.rule, finding.name, finding.file, finding.path, finding.message].join('\n').toLowerCase();

function passes(finding, wanted) {
    return (state.path === null || finding.file === state.path) && !filter.off.has(finding.severity) &&
        wanted.every((word) => words(finding).includes(word));
}

/* Makes the rows of the list: {group, findings} before the findings of each group. */
function arrange() {
    const { key } = groupings[filter.group], groups = new Map();
    const wanted = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const finding of state.findings) {
        if (passes(finding, wanted)) {
            const name = key(finding);
            groups.has(name) ? groups.get(name).push(finding) : groups.set(name, [finding]);
        }
    }
    const sorted = [...groups];
    if (filter.group === 'severity') {
        sorted.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
    } else if (filter.group === 'rule') {
        sorted.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    }
    rows = sorted.flatMap(([group, findings]) => [{ group, findings }, ...findings]);
    return rows.length - groups.size;
}

const placeText = (finding) => {
    const { region, offset } = placeOf(finding);
    return `${region ? region + ' ' : ''}+${hex(offset)}`;
};

function drawRow(index) {
    const row = rows[index];
    if (row.findings) {
        return h('div', { class: 'group', role: 'presentation', 'aria-hidden': 'true' },
            h('span', { class: 'what' }, groupings[filter.group].draw(row.group, row.findings[0])), tally(counts(row.findings)));
    }
    const where = filter.group === 'file' ? h('span', { class: 'unseen' }, row.file) : pathText(row.file);
    return h('div', { class: 'finding' }, mark(row.severity), h('div', { class: 'text' },
        h('div', { class: 'title' }, titleOf(row)),
        h('div', { class: 'where' }, h('code', null, row.rule), where, h('code', { class: 'field' }, row.path || row.record || 'file'),
            h('span', { class: 'offset' }, placeText(row)))));
}

/* The title is the part of the message between the place and what was found. */
function titleOf(finding) {
    const text = finding.message, from = text.indexOf("': "), to = text.lastIndexOf(" Found '");
    return text.slice(from >= 0 ? from + 3 : 0, to > from ? to : undefined);
}

function refresh() {
    const count = arrange(), all = counts(state.findings.filter((finding) => state.path === null || finding.file === state.path));
    setText(sum, count === state.findings.length ? plural(count, 'finding') : `${plural(count, 'finding')} of ${state.findings.length.toLocaleString('en')}`);
    for (const [severity, button] of toggles) {
        button.replaceChildren(button.firstChild, ` ${all[severity].toLocaleString('en')}`,
            h('span', { class: 'word' }, ` ${severities[severity][all[severity] === 1 ? 'word' : 'many']}`));
    }
    const current = rows.indexOf(state.finding);
    list.set(rows.length, current >= 0 ? current : -1);
    list.element.hidden = !rows.length;
    drawDetail();
}

function toggle(severity) {
    const button = h('button', { class: `toggle ${severity}`, 'aria-pressed': 'true', onclick() {
        filter.off.has(severity) ? filter.off.delete(severity) : filter.off.add(severity);
        button.setAttribute('aria-pressed', !filter.off.has(severity));
        refresh();
        announce(sum.textContent);
    } }, mark(severity), '');
    button.firstChild.setAttribute('aria-hidden', 'true');
    return [severity, button];
}

export function makeFindings(host, lib) {
    library = lib;
    sum = h('span', { class: 'sum' });
    toggles = order.map(toggle);
    list = new List({
        label: 'Findings', class: 'findings', rowHeight: 46, heightOf: (index) => (rows[index].findings ? 32 : 46), draw: drawRow, skip: (index) => Boolean(rows[index]?.findings),
        onmove(index) {
            const finding = rows[index];
            change({ finding, rule: finding.rule, at: placeOf(finding) });
        },
        onkey(event) {
            if (event.key === 'Enter' && state.finding) {
                goTo(state.finding, 'bytes');
                return true;
            }
            return false;
        },
    });
    const search = h('input', { type: 'search', placeholder: 'Search rule, field, file, words', 'aria-label': 'Search findings',
        oninput() {
            filter.text = search.value;
            refresh();
            announce(sum.textContent);
        } });
    const group = h('select', { 'aria-label': 'Group by', onchange() {
        filter.group = group.value;
        refresh();
    } }, Object.entries(groupings).map(([value, { label }]) => h('option', { value }, `by ${label}`)));
    detail = h('section', { class: 'detail', 'aria-label': 'Finding', tabIndex: 0 });
    host.append(h('div', { class: 'toolbar' }, search, toggles.map(([, button]) => button), group, sum),
        h('div', { class: 'split' }, h('div', { class: 'pane' }, list.element, h('p', { class: 'none' }, '')), detail));
}

export function showFindings(keys) {
    if (keys.some((key) => ['findings', 'path', 'view', 'finding'].includes(key))) {
        refresh();
        const current = rows.indexOf(state.finding);
        if (current >= 0 && keys.includes('view')) {
            list.reveal(current);
        }
        const busy = Boolean(state.progress);
        setText(list.element.nextSibling, rows.length || busy ? ''
            : state.findings.length ? 'No finding passes the filter.' : 'Nothing was found: all that was checked is clean.');
        list.element.nextSibling.hidden = Boolean(rows.length) || busy;
    }
}

async function explain(rule) {
    if (!explained.has(rule)) {
        explained.set(rule, null);
        explained.set(rule, await library.call('explain', { rule }).catch(() => null));
        drawDetail();
    }
    return explained.get(rule);
}

function related(finding) {
    return (finding.related || []).map((place) => h('button', { class: 'link', onclick() {
        change({ view: 'bytes', path: place.file || finding.file, at: { region: place.inner?.region || null, offset: (place.inner || place).offset } });
    } }, `${place.file ? place.file + ' ' : ''}${place.path || ''} +${hex(place.offset)}`, place.text ? h('span', { class: 'muted' }, ` ${place.text}`) : null));
}

function drawRule(about) {
    return [h('h2', null, about.title), h('p', { class: 'where' }, h('code', null, about.id), ' ', about.name, ', ', about.severity),
        facts([['Why', about.why], ['Evidence', about.evidence], ['Help', about.fix], ['Field', about.target && h('code', null, about.target)]]),
        h('p', { class: 'muted' }, 'This link names a rule. Open the file that it is about to see the place.')];
}

function drawDetail() {
    const { finding } = state;
    if (!finding || !rows.includes(finding)) {
        const about = state.rule && !state.finding && explained.get(state.rule);
        detail.replaceChildren(...(about ? drawRule(about) : [h('p', { class: 'none' }, 'Choose a finding to see why it is one, and what to write instead.')]));
        detail.classList.toggle('empty', !about);
        return;
    }
    const { patch } = finding, about = explained.get(finding.rule);
    explain(finding.rule);
    detail.classList.remove('empty');
    detail.replaceChildren(
        h('p', { class: `kind ${finding.severity}` }, mark(finding.severity), ` ${finding.severity} `, h('code', null, finding.rule), ` ${finding.name}`),
        h('h2', null, titleOf(finding)),
        h('div', { class: 'pair' }, h('div', null, h('h3', null, 'Found'), h('p', { class: 'value' }, finding.found || 'nothing')),
            h('div', null, h('h3', null, 'Expected'), h('p', { class: 'value' }, finding.expected))),
        h('div', { class: 'actions' },
            h('button', { class: 'main', onclick: () => goTo(finding, 'bytes') }, 'Show the bytes'),
            patch && finding.member === undefined ? h('button', { onclick: () => goTo(finding, 'fix') }, `Fix (${patch.tier} patch)`) : null),
        facts([
            ['What to do', finding.fix], ['Likely cause', finding.hint], ['Why', finding.why], ['Evidence', about?.evidence],
            ['File', pathText(finding.file)], ['Field', finding.path && h('code', null, finding.path)],
            ['Place', h('code', null, `${placeText(finding)}, ${plural(placeOf(finding).length, 'byte')}`)],
            ['Value', finding.value !== undefined && [h('code', null, String(finding.value)), finding.field_type ? ` ${finding.field_type}` : '']],
            ['Bytes', finding.raw && h('code', null, finding.raw.replace(/(..)(?=.)/g, '$1 '))],
            ['Related', related(finding).length ? related(finding) : null],
        ]));
}

/* For a link that names a rule while no file is open. */
export async function showRule() {
    if (state.rule && await explain(state.rule)) {
        drawDetail();
        return drawRule(explained.get(state.rule));
    }
    return null;
}
