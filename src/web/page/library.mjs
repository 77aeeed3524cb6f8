/* The library's thread as seen from the page: call(name, data) returns a promise. */
import { answer } from './blob.mjs';
import workerText from 'worker-text';

export class Library {
    constructor(onnews) {
        const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
        this.worker = new Worker(url);
        this.waiting = new Map();
        this.asked = 0;
        this.worker.onmessage = ({ data }) => {
            if (data.wanted) {
                answer(data, this.worker);
                return;
            }
            if (data.news) {
                onnews(data);
                return;
            }
            const { resolve, reject } = this.waiting.get(data.id);
            this.waiting.delete(data.id);
            data.error === undefined ? resolve(data.result) : reject(new Error(data.error));
        };
        this.worker.onerror = (event) => {
            const error = new Error(event.message || 'the thread of the library ended');
            this.waiting.forEach(({ reject }) => reject(error));
            this.waiting.clear();
        };
    }

    call(name, data) {
        return new Promise((resolve, reject) => {
            this.waiting.set(++this.asked, { resolve, reject });
            this.worker.postMessage({ id: this.asked, call: name, data });
        });
    }
}

export function fromBase64(text) {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) { /* ten times as fast as Uint8Array.from() */
        bytes[i] = letters.charCodeAt(i);
    }
    return bytes;
}

/* The library's bytes, compressed with gzip; in the page they are base64. */
export function packedLibrary() {
    return fromBase64(document.getElementById('library').textContent.trim());
}
