/* lightlint in Visual Studio Code: the page as a view of light files, and findings as problems. The library runs as
 * WebAssembly: no program is started and nothing is sent. */
import * as vscode from 'vscode';
import { load } from '../lightlint.mjs';

const VIEW = 'lightlint.page';
const LIMIT = 5000, SIZE_MAX = 256 * 1024 * 1024; /* files of a workspace; bytes of a file */
const SETTLE = 300; /* milliseconds without a change before a file is read */
const { Error: error, Warning: warning, Information: note } = vscode.DiagnosticSeverity;
const severities = { error, warning, note };
const top = new vscode.Range(0, 0, 0, 0);

let context, library = null, problems;

/* Loads the library when it is first needed, and again after it has stopped. */
function lightlint() {
    library ??= vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, 'lightlint.wasm')).then((bytes) => load(bytes));
    return library;
}

/* ---- problems ---- */

function problemOf(finding) {
    const problem = new vscode.Diagnostic(top, `${finding.message}\nHelp: ${finding.fix}`, severities[finding.severity]);
    problem.source = 'lightlint';
    problem.code = { value: finding.rule, target: vscode.Uri.from({ scheme: 'lightlint', path: `/${finding.rule}.md` }) };
    return problem;
}

function refusal(words) {
    const problem = new vscode.Diagnostic(top, `Not checked: ${words}`, error);
    problem.source = 'lightlint';
    return problem;
}

/* Adds a file to a run. Returns '' or why it could not be added. */
async function addTo(run, uri, path) {
    try {
        const { size } = await vscode.workspace.fs.stat(uri);
        if (size > SIZE_MAX) {
            return `it has ${size} bytes, and ${SIZE_MAX} are read at most; lightlint in a terminal reads it`;
        }
        run.add(path, await vscode.workspace.fs.readFile(uri));
        return '';
    } catch (trouble) {
        if (trouble.fatal) {
            library = null;
            throw trouble;
        }
        return trouble.message;
    }
}

async function check(uri) {
    let run = null;
    try {
        run = (await lightlint()).run();
        const why = await addTo(run, uri, vscode.workspace.asRelativePath(uri));
        problems.set(uri, why ? [refusal(why)] : run.finish().findings.map(problemOf));
    } catch (trouble) {
        problems.set(uri, [refusal(trouble.message)]);
    } finally {
        run?.free();
    }
}

/* ---- the workspace ---- */

const asGlob = (extensions) => `**/*{${extensions.join(',')}}`;

/* Checks all files in one run, so that rules across files see whole packages. Returns the numbers of files and
 * findings; null: cancelled. */
async function checkFiles(uris, progress, token) {
    const ll = await lightlint(), byPath = new Map(uris.map((uri) => [vscode.workspace.asRelativePath(uri), uri]));
    const { add, names, folders } = ll.sort([...byPath.keys()]), run = ll.run(), found = new Map(add.map((path) => [path, []]));
    try {
        for (const path of add) {
            if (token.isCancellationRequested) {
                return null;
            }
            progress.report({ message: path, increment: 100 / add.length });
            const why = await addTo(run, byPath.get(path), path);
            if (why) {
                run.addUnreadable(path, why);
            }
        }
        names.forEach((path) => run.addName(path));
        folders.forEach((path) => run.addFolder(path));
        const { findings, summary } = run.finish();
        findings.forEach((finding) => found.set(finding.file, [...found.get(finding.file) ?? [], problemOf(finding)]));
        problems.clear(); /* some findings are about files that are missing */
        found.forEach((list, path) => problems.set(byPath.get(path) ?? vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, path), list));
        return { files: summary.files, findings: findings.length };
    } finally {
        run.free();
    }
}

async function checkWorkspace() {
    const { extensions } = await lightlint();
    const files = asGlob([...extensions, '.fpk.xml', '.fpkd.xml']), parts = '**/*_{fpk,fpkd}/**';
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'lightlint', cancellable: true }, async (progress, token) => {
        const lists = [await vscode.workspace.findFiles(files, undefined, LIMIT, token), await vscode.workspace.findFiles(parts, undefined, LIMIT, token)];
        if (token.isCancellationRequested) {
            return;
        }
        const uris = [...new Map(lists.flat().map((uri) => [uri.toString(), uri])).values()];
        try {
            const counts = await checkFiles(uris, progress, token);
            if (lists.some((list) => list.length === LIMIT)) {
                vscode.window.showWarningMessage(`lightlint: there are more than ${LIMIT} files; the others were not checked. lightlint in a terminal checks all.`);
            } else if (counts) {
                vscode.window.setStatusBarMessage(`lightlint: ${counts.files} files, ${counts.findings} findings`, 10000);
            }
        } catch (trouble) {
            vscode.window.showErrorMessage(`lightlint: ${trouble.message}`);
        }
    });
}

/* Checks each file that changes while the extension is active, some time after its last change. */
function watch({ extensions }) {
    const watcher = vscode.workspace.createFileSystemWatcher(asGlob(extensions)), waiting = new Map();
    const later = (uri) => {
        const key = uri.toString();
        clearTimeout(waiting.get(key));
        waiting.set(key, setTimeout(() => {
            waiting.delete(key);
            check(uri);
            views.forEach((view) => view.uri.toString() === key && view.send());
        }, SETTLE));
    };
    watcher.onDidChange(later);
    watcher.onDidCreate(later);
    watcher.onDidDelete((uri) => problems.delete(uri));
    return [watcher, { dispose: () => waiting.forEach(clearTimeout) }];
}

/* ---- views ---- */

const views = new Set();

async function saveAs(uri, name, bytes) {
    const target = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(uri, '..', name) });
    if (target) {
        await vscode.workspace.fs.writeFile(target, bytes);
    }
}

/* Shows the page for a file. It sends two messages: `ready`, to get its file, and `save`. */
async function showPage({ uri }, panel) {
    const webview = panel.webview, name = uri.path.split('/').pop();
    const send = async () => webview.postMessage({ type: 'open', name, bytes: new Uint8Array(await vscode.workspace.fs.readFile(uri)) });
    const view = { uri, send: () => send().catch((trouble) => vscode.window.showErrorMessage(`lightlint: ${name}: ${trouble.message}`)) };
    webview.options = { enableScripts: true, localResourceRoots: [] };
    webview.onDidReceiveMessage((message) => {
        if (message.type === 'ready') {
            view.send();
        } else if (message.type === 'save') {
            saveAs(uri, message.name, message.bytes).catch((trouble) => vscode.window.showErrorMessage(`lightlint: ${trouble.message}`));
        }
    });
    views.add(view);
    panel.onDidDispose(() => views.delete(view));
    webview.html = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, 'lightlint.html')));
    check(uri);
}

export async function activate(given) {
    context = given;
    problems = vscode.languages.createDiagnosticCollection('lightlint');
    const provider = { openCustomDocument: (uri) => ({ uri, dispose() {} }), resolveCustomEditor: showPage };
    const explain = { provideTextDocumentContent: async (uri) => (await lightlint()).explain(uri.path.slice(1).replace(/\.md$/, ''), 'markdown') };
    context.subscriptions.push(problems,
        /* a hidden view must keep changes that are not saved */
        vscode.window.registerCustomEditorProvider(VIEW, provider, { webviewOptions: { retainContextWhenHidden: true } }),
        vscode.commands.registerCommand('lightlint.checkWorkspace', checkWorkspace),
        vscode.workspace.registerTextDocumentContentProvider('lightlint', explain));
    context.subscriptions.push(...watch(await lightlint()));
}
