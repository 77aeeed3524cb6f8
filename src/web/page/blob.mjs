/* Bytes of a blob, in the thread of the library. A page from the disk has no origin, and in one WebKit lets the page itself alone read blobs:
 * the page is asked where reading fails here. */
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

/* In the page: the answer to {wanted, blob}. */
export async function answer({ wanted, blob }, worker) {
    try {
        const bytes = await blob.arrayBuffer();
        worker.postMessage({ wanted, bytes }, [bytes]);
    } catch (error) {
        worker.postMessage({ wanted, error: error.message });
    }
}

/* In the thread: takes that answer. */
export function takeAnswer({ wanted, bytes, error }) {
    const { resolve, reject } = waiting.get(wanted);
    waiting.delete(wanted);
    error === undefined ? resolve(bytes) : reject(new Error(error));
}
