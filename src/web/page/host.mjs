/* The environment of the page: a browser, where the page opens and saves files and keeps the link in its address, or
 * Visual Studio Code, which passes the file to show, saves files, and has its own theme. */

const editor = globalThis.acquireVsCodeApi?.();
export const inEditor = Boolean(editor);

/* Follows the theme of the editor, which may differ from that of the system. */
export function followTheme() {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => /prefers-color-scheme/.test(rule.media?.mediaText));
    const follow = () => {
        const dark = ['vscode-dark', 'vscode-high-contrast'].includes(document.body.dataset.vscodeThemeKind);
        rules.forEach((rule) => rule.media.mediaText = dark ? 'all' : 'not all');
        document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
    };
    follow();
    new MutationObserver(follow).observe(document.body, { attributeFilter: ['data-vscode-theme-kind'] });
}

/* Saves bytes as a file. */
export async function save(name, parts, type = 'application/octet-stream') {
    const blob = new Blob([].concat(parts), { type }), last = name.split('/').pop();
    if (inEditor) {
        editor.postMessage({ type: 'save', name: last, bytes: new Uint8Array(await blob.arrayBuffer()) });
        return;
    }
    const url = URL.createObjectURL(blob), link = document.createElement('a');
    Object.assign(link, { href: url, download: last }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/* The link "#view=bytes&...": the part of the state that survives closing the page. */
export const readHash = () => (inEditor ? editor.getState()?.link ?? '' : location.hash);
export const writeHash = (link) => (inEditor ? editor.setState({ link }) : history.replaceState(null, '', link));

/* Calls open({found, folders}) with the file of the editor, and again after each change. */
export function takeFromEditor(open) {
    addEventListener('message', ({ data }) => {
        if (data?.type === 'open') {
            open({ found: [{ path: data.name, file: new File([data.bytes], data.name) }], folders: [] });
        }
    });
    editor.postMessage({ type: 'ready' });
}
