/* The files of a zip, read from its central directory. Every number is checked against the bytes that are there; what
 * is packed in another way than "stored" or "deflate", encrypted, or larger than MEMBER_MAX is named and left out. */

const END = 0x06054b50, CENTRAL = 0x02014b50, LOCAL = 0x04034b50; /* APPNOTE.TXT 4.3.16, 4.3.12, 4.3.7 */
const END_SIZE = 22, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, COMMENT_MAX = 0xffff;
const ENCRYPTED = 1, STORED = 0, DEFLATED = 8;
export const MEMBER_MAX = 512 * 1024 * 1024;

async function bytesOf(blob, from, to) {
    return new DataView(await blob.slice(from, to).arrayBuffer());
}

async function findEnd(blob) {
    const from = Math.max(0, blob.size - END_SIZE - COMMENT_MAX), tail = await bytesOf(blob, from, blob.size);
    for (let at = tail.byteLength - END_SIZE; at >= 0; at--) {
        if (tail.getUint32(at, true) === END && at + END_SIZE + tail.getUint16(at + 20, true) <= tail.byteLength) {
            return { count: tail.getUint16(at + 10, true), size: tail.getUint32(at + 12, true),
                offset: tail.getUint32(at + 16, true), limit: from + at };
        }
    }
    throw new Error('it has no end record of a zip: it is cut off, or no zip');
}

function readEntry(view, at) {
    if (at + CENTRAL_SIZE > view.byteLength || view.getUint32(at, true) !== CENTRAL) {
        throw new Error('its directory is damaged');
    }
    const nameLength = view.getUint16(at + 28, true);
    const next = at + CENTRAL_SIZE + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > view.byteLength) {
        throw new Error('an entry of its directory is longer than the directory');
    }
    const name = new Uint8Array(view.buffer, view.byteOffset + at + CENTRAL_SIZE, nameLength);
    return {
        name: new TextDecoder().decode(name).replaceAll('\\', '/'), next,
        flags: view.getUint16(at + 8, true), method: view.getUint16(at + 10, true),
        packed: view.getUint32(at + 20, true), size: view.getUint32(at + 24, true), offset: view.getUint32(at + 42, true),
    };
}

/* -> [{name, size, read() -> Promise<Uint8Array>} or {name, refused: 'why'}] */
export async function zipFiles(blob) {
    const end = await findEnd(blob);
    if (end.count === 0xffff || end.offset === 0xffffffff) {
        throw new Error('it is a zip of the 64-bit form, which this page does not read: unpack it, and drop the folder');
    }
    if (end.offset + end.size > end.limit) {
        throw new Error('its directory lies outside the file');
    }
    const view = await bytesOf(blob, end.offset, end.offset + end.size), files = [];
    for (let i = 0, at = 0; i < end.count; i++) {
        const entry = readEntry(view, at);
        at = entry.next;
        if (!entry.name.endsWith('/')) {
            files.push(member(blob, entry, end.offset));
        }
    }
    return files;
}

function member(blob, entry, limit) {
    const { name, size } = entry;
    if (entry.flags & ENCRYPTED) {
        return { name, refused: 'it is encrypted' };
    }
    if (entry.method !== STORED && entry.method !== DEFLATED) {
        return { name, refused: `it is packed by method ${entry.method}, which this page does not read` };
    }
    if (size > MEMBER_MAX) {
        return { name, refused: 'it is larger than 512 MiB' };
    }
    return { name, size, read: () => unpack(blob, entry, limit) };
}

async function unpack(blob, entry, limit) {
    const head = await bytesOf(blob, entry.offset, Math.min(limit, entry.offset + LOCAL_SIZE));
    if (head.byteLength < LOCAL_SIZE || head.getUint32(0, true) !== LOCAL) {
        throw new Error('the directory of its zip leads to no file');
    }
    const from = entry.offset + LOCAL_SIZE + head.getUint16(26, true) + head.getUint16(28, true);
    if (from + entry.packed > limit) {
        throw new Error('its bytes lie outside its zip');
    }
    const packed = blob.slice(from, from + entry.packed);
    const bytes = entry.method === STORED ? new Uint8Array(await packed.arrayBuffer()) : await inflate(packed, entry.size);
    if (bytes.length !== entry.size) {
        throw new Error(`it unpacks to ${bytes.length} bytes, and its zip says ${entry.size}`);
    }
    return bytes;
}

/* No more than was stated is ever kept, whatever the stream unpacks to. */
async function inflate(packed, size) {
    const bytes = new Uint8Array(size), reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    let filled = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            return bytes.subarray(0, filled);
        }
        if (filled + value.length > size) {
            await reader.cancel();
            throw new Error(`it unpacks to more than the ${size} bytes that its zip says`);
        }
        bytes.set(value, filled);
        filled += value.length;
    }
}
