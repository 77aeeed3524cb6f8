/* Collects dropped or chosen files as a flat list of {path, file}. Folders are walked with a stack, sorted by name. */

const AT_ONCE = 64; /* files requested at a time */

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/* Children of a folder, in either of the two interfaces of browsers. In a page opened from the disk, Chromium can read
 * files only through handles ("EncodingError" for entries); Firefox and Safari have only entries. */
async function childrenOf(folder) {
    const all = [];
    if (folder.kind) {
        for await (const child of folder.values()) {
            all.push(child);
        }
        return all.sort(byName);
    }
    const reader = folder.createReader();
    for (;;) { /* a browser returns about a hundred at a time */
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) {
            return all.sort(byName);
        }
        all.push(...some);
    }
}

const isFolder = (one) => one.isDirectory || one.kind === 'directory';
const fileOf = (one) => (one.kind ? one.getFile() : new Promise((resolve, reject) => one.file(resolve, reject)));

/* Call this while the event is handled: afterwards the browser drops the items. */
export async function dropped(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === 'file');
    const roots = await Promise.all(items.map((item) => {
        const entry = item.webkitGetAsEntry?.();
        return entry?.isDirectory ? item.getAsFileSystemHandle?.() ?? entry : item.getAsFile();
    }));
    const found = [], folders = [], stack = roots.filter(Boolean).reverse().map((one) => ({ one, path: one.name }));
    while (stack.length) {
        const { one, path } = stack.pop();
        if (isFolder(one)) {
            folders.push(path);
            stack.push(...(await childrenOf(one)).reverse().map((child) => ({ one: child, path: `${path}/${child.name}` })));
        } else {
            found.push({ path, file: one });
        }
    }
    for (let at = 0; at < found.length; at += AT_ONCE) {
        await Promise.all(found.slice(at, at + AT_ONCE).map(async (one) => {
            one.file = one.file instanceof File ? one.file : await fileOf(one.file);
        }));
    }
    return { found, folders };
}

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
