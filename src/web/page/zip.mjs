/* Reads the files of a zip, including 64-bit zips, from the central directory. All numbers are checked against the
 * actual size. Files that are encrypted, larger than MEMBER_MAX, or compressed other than by "deflate" are returned
 * with a reason and cannot be read. */
import { readBlob } from './blob.mjs';

/* APPNOTE.TXT 4.3.16, 4.3.15, 4.3.14, 4.3.12, 4.3.7, 4.5.3 */
const END = 0x06054b50, LOCATOR64 = 0x07064b50, END64 = 0x06064b50, CENTRAL = 0x02014b50, LOCAL = 0x04034b50, SIZES64 = 1;
const END_SIZE = 22, LOCATOR64_SIZE = 20, END64_SIZE = 56, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, COMMENT_MAX = 0xffff;
const IN_64_BITS = 0xffffffff, IN_64_BITS_SHORT = 0xffff; /* placeholders for numbers that are in a 64-bit field */
const ENCRYPTED = 1, STORED = 0, DEFLATED = 8;
export const MEMBER_MAX = 512 * 1024 * 1024;
const DIRECTORY_MAX = 256 * 1024 * 1024;

async function bytesOf(blob, from, to) {
    return new DataView(await readBlob(blob.slice(from, to)));
}

/* Reads a 64-bit number; throws if it is not exact, as no file is that large. */
function number64(view, at) {
    const number = Number(view.getBigUint64(at, true));
    if (!Number.isSafeInteger(number)) {
        throw new Error('a number in it is larger than any file');
    }
    return number;
}

async function findEnd(blob) {
    const from = Math.max(0, blob.size - END_SIZE - COMMENT_MAX), tail = await bytesOf(blob, from, blob.size);
    for (let at = tail.byteLength - END_SIZE; at >= 0; at--) {
        if (tail.getUint32(at, true) === END && at + END_SIZE + tail.getUint16(at + 20, true) <= tail.byteLength) {
            const end = { count: tail.getUint16(at + 10, true), size: tail.getUint32(at + 12, true),
                offset: tail.getUint32(at + 16, true), limit: from + at };
            return end.count === IN_64_BITS_SHORT || end.size === IN_64_BITS || end.offset === IN_64_BITS ? findEnd64(blob, from + at, end) : end;
        }
    }
    throw new Error('it has no end record of a zip: it is cut off, or no zip');
}

/* Reads the 64-bit end record; its locator is right before the end record at `limit`. A zip of exactly 65,535 files may
 * have none. */
async function findEnd64(blob, limit, end) {
    const locator = await bytesOf(blob, Math.max(0, limit - LOCATOR64_SIZE), limit);
    if (locator.byteLength < LOCATOR64_SIZE || locator.getUint32(0, true) !== LOCATOR64) {
        if (end.size === IN_64_BITS || end.offset === IN_64_BITS) {
            throw new Error('it is a zip of the 64-bit form, and lacks the end record of that form');
        }
        return end;
    }
    const at = number64(locator, 8);
    if (at + END64_SIZE > limit - LOCATOR64_SIZE) {
        throw new Error('its end record of the 64-bit form lies outside the file');
    }
    const record = await bytesOf(blob, at, at + END64_SIZE);
    if (record.getUint32(0, true) !== END64 || at + 12 + number64(record, 4) > limit - LOCATOR64_SIZE) {
        throw new Error('its end record of the 64-bit form is damaged');
    }
    return { count: number64(record, 32), size: number64(record, 40), offset: number64(record, 48), limit: at };
}

/* Sizes and offset of a directory entry. Those that need 64 bits are in its extra field, in this order. */
function readSizes(view, at, extra, extraEnd) {
    const sizes = { size: view.getUint32(at + 24, true), packed: view.getUint32(at + 20, true), offset: view.getUint32(at + 42, true) };
    const wide = Object.keys(sizes).filter((name) => sizes[name] === IN_64_BITS);
    while (wide.length && extra + 4 <= extraEnd) {
        const length = view.getUint16(extra + 2, true);
        if (view.getUint16(extra, true) === SIZES64 && length >= 8 * wide.length && extra + 4 + length <= extraEnd) {
            wide.forEach((name, i) => sizes[name] = number64(view, extra + 4 + 8 * i));
            return sizes;
        }
        extra += 4 + length;
    }
    if (wide.length) {
        throw new Error('an entry of its directory lacks its sizes of 64 bits');
    }
    return sizes;
}

function readEntry(view, at) {
    if (at + CENTRAL_SIZE > view.byteLength || view.getUint32(at, true) !== CENTRAL) {
        throw new Error('its directory is damaged');
    }
    const nameLength = view.getUint16(at + 28, true), extra = at + CENTRAL_SIZE + nameLength, extraEnd = extra + view.getUint16(at + 30, true);
    const next = extraEnd + view.getUint16(at + 32, true);
    if (next > view.byteLength) {
        throw new Error('an entry of its directory is longer than the directory');
    }
    const name = new Uint8Array(view.buffer, view.byteOffset + at + CENTRAL_SIZE, nameLength);
    return {
        name: new TextDecoder().decode(name).replaceAll('\\', '/'), next,
        flags: view.getUint16(at + 8, true), method: view.getUint16(at + 10, true), ...readSizes(view, at, extra, extraEnd),
    };
}

/* -> [{name, size, read() -> Promise<Uint8Array>} or {name, refused: 'why'}] */
export async function zipFiles(blob) {
    const end = await findEnd(blob);
    if (end.offset + end.size > end.limit) {
        throw new Error('its directory lies outside the file');
    }
    if (end.size > DIRECTORY_MAX) {
        throw new Error('its directory is larger than 256 MiB');
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
    const bytes = entry.method === STORED ? new Uint8Array(await readBlob(packed)) : await inflate(packed, entry.size);
    if (bytes.length !== entry.size) {
        throw new Error(`it unpacks to ${bytes.length} bytes, and its zip says ${entry.size}`);
    }
    return bytes;
}

/* Decompresses bytes as a stream. It does not start from a blob, as WebKit cannot stream blobs in a page opened from
 * the disk. */
export function unpacked(bytes, format) {
    const whole = new ReadableStream({
        start(controller) {
            controller.enqueue(new Uint8Array(bytes));
            controller.close();
        },
    });
    return whole.pipeThrough(new DecompressionStream(format));
}

/* Decompresses to the stated size; throws if there is more, and never keeps more. */
async function inflate(packed, size) {
    const bytes = new Uint8Array(size), reader = unpacked(await readBlob(packed), 'deflate-raw').getReader();
    let filled = 0;
    for (;;) {
        const { done, value } = await reader.read().catch(() => {
            throw new Error('its packed bytes are damaged');
        });
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
