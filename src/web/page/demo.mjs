/* Demo files from the corpus, embedded when the page is built. They contain no bytes of a game. */
import demo from 'demo-files';
import { fromBase64 } from './library.mjs';

/* The files of these folders. */
export function demoFiles(...wanted) {
    const found = demo.filter(({ path }) => wanted.includes(path.split('/')[0])).map(({ path, bytes }) => ({ path, file: new File([fromBase64(bytes)], path.split('/').pop()) }));
    const folders = [...new Set(found.flatMap(({ path }) => path.split('/').slice(0, -1).map((_, i, parts) => parts.slice(0, i + 1).join('/'))))];
    return { found, folders };
}
