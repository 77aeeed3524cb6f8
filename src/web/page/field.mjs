/* A card or tooltip with everything known about a field. */
import { facts, h, hex, mark, plural } from './dom.mjs';
import { goTo } from './state.mjs';

const certainties = { known: 'known', seen: 'seen in files', guess: 'a guess' };

export function fieldCard(field, { brief = false, follow = null, findings = [] } = {}) {
    const { record } = field, lead = field.leadsTo && (follow && !brief
        ? h('button', { class: 'link', onclick: () => follow(field) }, field.leadsTo) : h('code', null, field.leadsTo));
    const certainty = [certainties[field.certainty] || field.certainty, field.source && `(${field.source})`].filter(Boolean).join(' ');
    return h('div', { class: 'field-card' },
        h('h2', null, h('code', null, field.path || field.role)),
        findings.map((finding) => h('button', { class: `problem ${finding.severity}`, onclick: () => goTo(finding, 'findings') },
            mark(finding.severity), h('span', null, h('code', null, finding.rule), ` Found '${finding.found}', expected '${finding.expected}'.`))),
        facts([
            ['Value', field.text !== undefined && field.text !== null && field.text !== '' && h('code', { class: 'value' }, String(field.text))],
            ['Type', [field.type, field.role && field.role !== field.type ? `, ${field.role}` : '']],
            ['Meaning', field.meaning], ['Leads to', lead], ['Certainty', certainty],
            ['Record', record.record && [h('code', null, record.record), record.meaning ? `: ${record.meaning}` : '']],
            ['Place', [h('code', null, `${field.region ? field.region + ' ' : ''}+${hex(field.offset)}..${hex(field.offset + field.length)}`),
                `, ${plural(field.length, 'byte')}`]],
        ]));
}
