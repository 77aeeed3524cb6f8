/* Where the page is: in a browser, which opens and saves files and keeps the link in its address; or in Visual Studio Code, which hands in the file
 * that it shows, saves what it is given, and has a theme of its own. */

const editor = globalThis.acquireVsCodeApi?.();
export const inEditor = Boolean(editor);

/* The theme of the editor may be another than that of the system, for which the style asks. */
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

/* Calls changed() when light becomes dark, or dark light. */
export function watchTheme(changed) {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
    inEditor && new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ['style'] }); /* as follow() leaves it */
}

/* Bytes as a file of the user. */
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

/* The part of what is shown that outlives the page: "#view=bytes&...". */
export const readHash = () => (inEditor ? editor.getState()?.link ?? '' : location.hash);
export const writeHash = (link) => (inEditor ? editor.setState({ link }) : history.replaceState(null, '', link));

/* Calls open({found, folders}) with the file of the editor, and again when it has changed. */
export function takeFromEditor(open) {
    addEventListener('message', ({ data }) => {
        if (data?.type === 'open') {
            open({ found: [{ path: data.name, file: new File([data.bytes], data.name) }], folders: [] });
        }
    });
    editor.postMessage({ type: 'ready' });
}
