/* Reads blobs in the library's thread. A page opened from the disk has no origin, and there WebKit lets only the page
 * itself read blobs: if reading fails, the page does it. */
const waiting = new Map();
let asked = 0;

/* -> ArrayBuffer */
export async function readBlob(blob) {
    try {
        return await blob.arrayBuffer();
    } catch (error) {
        if (error.name !== 'NotReadableError') {
            throw error;
        }
        return new Promise((resolve, reject) => {
            waiting.set(++asked, { resolve, reject });
            postMessage({ wanted: asked, blob });
        });
    }
}

/* In the page: answers {wanted, blob}. */
export async function answer({ wanted, blob }, worker) {
    try {
        const bytes = await blob.arrayBuffer();
        worker.postMessage({ wanted, bytes }, [bytes]);
    } catch (error) {
        worker.postMessage({ wanted, error: error.message });
    }
}

/* In the thread: receives the answer. */
export function takeAnswer({ wanted, bytes, error }) {
    const { resolve, reject } = waiting.get(wanted);
    waiting.delete(wanted);
    error === undefined ? resolve(bytes) : reject(new Error(error));
}
