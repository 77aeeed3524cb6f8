/* The part of Visual Studio Code's API that the extension uses, for tests without it. Anything else is an error, and
 * arguments must have the right kinds. Files are in a folder on disk. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';

class Uri {
    constructor({ scheme, path }) {
        Object.assign(this, { scheme, path, fsPath: path });
    }
    static from(parts) {
        return new Uri(parts);
    }
    static file(path) {
        return new Uri({ scheme: 'file', path });
    }
    static joinPath(base, ...parts) {
        assert.ok(base instanceof Uri);
        return new Uri({ scheme: base.scheme, path: posix.join(base.path, ...parts) });
    }
    toString() {
        return `${this.scheme}://${this.path}`;
    }
}

class Range {
    constructor(...numbers) {
        assert.ok(numbers.length === 4 && numbers.every((number) => Number.isInteger(number) && number >= 0));
        this.numbers = numbers;
    }
}

const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };

class Diagnostic {
    constructor(range, message, severity) {
        assert.ok(range instanceof Range && typeof message === 'string' && message && Object.values(DiagnosticSeverity).includes(severity));
        Object.assign(this, { range, message, severity });
    }
}

/* An event: a function that adds a listener; fire() calls all listeners. */
function eventOf() {
    const listeners = [];
    return Object.assign((listener) => listeners.push(listener), { fire: (value) => listeners.forEach((listener) => listener(value)) });
}

/* Throws an error if a member does not exist. */
function strict(name, members) {
    return new Proxy(members, {
        get(all, key) {
            if (typeof key === 'string' && key !== 'then' && !(key in all)) { /* `then`: await reads it */
                throw new Error(`the extension uses ${name}.${key}, which the test does not know`);
            }
            return all[key];
        },
    });
}

function collection() {
    const all = new Map();
    return strict('DiagnosticCollection', {
        all,
        set(uri, list) {
            assert.ok(uri instanceof Uri && Array.isArray(list) && list.every((one) => one instanceof Diagnostic));
            all.set(uri.toString(), list);
        },
        delete: (uri) => all.delete(uri.toString()),
        clear: () => all.clear(),
        dispose() {},
    });
}

const escape = (text) => text.replace(/[.+^$()|[\]\\]/g, '\\$&');

/* Globs in the forms that are used: **, * and {a,b}. */
function expression(glob) {
    const text = escape(glob).replaceAll('**/', '\u0001').replaceAll('**', '\u0002').replaceAll('*', '[^/]*')
        .replace(/\{([^}]*)\}/g, (_, words) => `(?:${words.replaceAll(',', '|')})`);
    return new RegExp(`^${text.replaceAll('\u0001', '(?:.*/)?').replaceAll('\u0002', '.*')}$`);
}

export function fakeVscode(folder) {
    const known = { collections: [], providers: {}, commands: {}, contents: {}, watchers: [], said: [], saveTo: null, token: { isCancellationRequested: false } };
    const disposable = { dispose() {} };
    const filesBelow = (at = '') => readdirSync(join(folder, at), { withFileTypes: true })
        .flatMap((entry) => (entry.isDirectory() ? filesBelow(posix.join(at, entry.name)) : [posix.join(at, entry.name)]));
    const say = (kind) => async (text) => {
        assert.equal(typeof text, 'string');
        known.said.push([kind, text]);
    };
    const api = strict('vscode', {
        Uri, Range, Diagnostic, DiagnosticSeverity,
        ProgressLocation: strict('ProgressLocation', { SourceControl: 1, Window: 10, Notification: 15 }),
        languages: strict('languages', {
            createDiagnosticCollection(name) {
                assert.equal(typeof name, 'string');
                known.collections.push(collection());
                return known.collections.at(-1);
            },
        }),
        commands: strict('commands', {
            registerCommand(name, run) {
                known.commands[name] = run;
                return disposable;
            },
        }),
        workspace: strict('workspace', {
            workspaceFolders: [{ uri: Uri.file(folder), name: 'folder', index: 0 }],
            fs: strict('workspace.fs', {
                readFile: async (uri) => new Uint8Array(readFileSync(uri.fsPath)),
                stat: async (uri) => strict('FileStat', { size: statSync(uri.fsPath).size, type: 1 }),
                async writeFile(uri, bytes) {
                    assert.ok(bytes instanceof Uint8Array);
                    writeFileSync(uri.fsPath, bytes);
                },
            }),
            asRelativePath: (uri) => (uri.path.startsWith(`${folder}/`) ? uri.path.slice(folder.length + 1) : uri.path),
            async findFiles(glob, exclude, most) {
                assert.ok(exclude === undefined && Number.isInteger(most));
                return filesBelow().filter((path) => expression(glob).test(path)).slice(0, most).map((path) => Uri.file(join(folder, path)));
            },
            createFileSystemWatcher(glob) {
                const watcher = strict('FileSystemWatcher', { glob: expression(glob), onDidChange: eventOf(), onDidCreate: eventOf(), onDidDelete: eventOf(), dispose() {} });
                known.watchers.push(watcher);
                return watcher;
            },
            registerTextDocumentContentProvider(scheme, provider) {
                known.contents[scheme] = provider;
                return disposable;
            },
        }),
        window: strict('window', {
            registerCustomEditorProvider(view, provider, options) {
                assert.deepEqual(Object.keys(options).sort(), ['webviewOptions']);
                known.providers[view] = provider;
                return disposable;
            },
            withProgress: async ({ location, cancellable }, run) => {
                assert.ok(location === 15 && cancellable);
                return run(strict('Progress', { report: ({ increment }) => assert.ok(increment >= 0 && increment <= 100) }), known.token);
            },
            showSaveDialog: async ({ defaultUri }) => {
                assert.ok(defaultUri instanceof Uri);
                known.said.push(['save', defaultUri.path]);
                return known.saveTo && Uri.file(known.saveTo);
            },
            showWarningMessage: say('warning'), showErrorMessage: say('error'), setStatusBarMessage: say('status'),
        }),
    });
    return { api, known };
}

/* Activates the extension in a folder, with this API as its module "vscode". */
export async function activate(extension, api) {
    globalThis.fakeVscode = api;
    const modules = join(extension, 'node_modules', 'vscode');
    mkdirSync(modules, { recursive: true });
    writeFileSync(join(modules, 'index.js'), 'module.exports = globalThis.fakeVscode;\n');
    const { main } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
    const context = { extensionUri: Uri.file(extension), subscriptions: [] };
    await createRequire(pathToFileURL(join(extension, 'package.json')))(main).activate(context);
    return context;
}

export { eventOf, strict };
