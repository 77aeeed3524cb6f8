/* What was dropped or chosen, as a flat list of {path, file}. Folders are walked with a stack, in the order of names. */

async function entriesOf(directory) {
    const reader = directory.createReader(), all = [];
    for (;;) { /* a browser hands out a hundred at a time */
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) {
            return all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
        }
        all.push(...some);
    }
}

/* Must be called while the event is handled: a browser forgets the items afterwards. */
export async function dropped(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === 'file');
    const roots = items.map((item) => item.webkitGetAsEntry?.() || item.getAsFile());
    const found = [], folders = [], stack = roots.reverse();
    while (stack.length) {
        const entry = stack.pop();
        if (entry instanceof File) {
            found.push({ path: entry.name, file: entry });
        } else if (entry?.isDirectory) {
            folders.push(pathOf(entry));
            stack.push(...(await entriesOf(entry)).reverse());
        } else if (entry) {
            const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
            found.push({ path: pathOf(entry), file });
        }
    }
    return { found, folders };
}

const pathOf = (entry) => entry.fullPath.replace(/^\//, '');

export function chosen(input) {
    const found = [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    const folders = new Set();
    for (const { path } of found) {
        for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
            folders.add(path.slice(0, at));
        }
    }
    return { found, folders: [...folders] };
}
