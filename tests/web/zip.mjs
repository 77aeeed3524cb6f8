/* Tests the page's zip reader, without a browser: node zip.mjs. Zips are made by Python's zipfile in both forms,
 * then changed in one number at a time. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipFiles } from '../../src/web/page/zip.mjs';

try {
    new DecompressionStream('deflate-raw');
} catch {
    console.log('skipped: this node does not unpack "deflate-raw"');
    process.exit(77);
}

const scratch = mkdtempSync(join(tmpdir(), 'lightlint-zip-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/* With limits of zero, zipfile uses the 64-bit form for all numbers. */
const MAKE = `
import sys, zipfile
if sys.argv[2] == "64":
    zipfile.ZIP64_LIMIT = zipfile.ZIP_FILECOUNT_LIMIT = 0
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("mod/a.grxla", b"abc" * 1000)
    file.writestr("mod/b.grxla", b"", zipfile.ZIP_STORED)
    file.comment = b"a comment"
`;

function made(form) {
    const path = join(scratch, `${form}.zip`);
    execFileSync('/usr/bin/python3', ['-c', MAKE, path, form]);
    return readFileSync(path);
}

const plain = made('32'), half = made('64'), wide = Buffer.from(half);
const END = 22 + 'a comment'.length, LOCATOR = END + 20, END64 = LOCATOR + 56; /* from the end of the file */
const CENTRAL = wide.indexOf('PK\u0001\u0002', 0, 'latin1'), EXTRA = CENTRAL + 46 + 'mod/a.grxla'.length;

async function read(bytes) {
    const files = await zipFiles(new Blob([bytes]));
    return Promise.all(files.map(async ({ name, refused, read: open }) => [name, refused ?? Buffer.from(await open()).toString()]));
}

function changed(write) {
    const bytes = Buffer.from(wide);
    write(bytes);
    return bytes;
}

/* Python writes small numbers into the old end record as well. Other programs write a reference to the new one. */
wide.writeUInt16LE(0xffff, wide.length - END + 10);
wide.writeUInt32LE(0xffffffff, wide.length - END + 12);
wide.writeUInt32LE(0xffffffff, wide.length - END + 16);

const from = wide.length, contents = [['mod/a.grxla', 'abc'.repeat(1000)], ['mod/b.grxla', '']];
assert.deepEqual(await read(plain), contents);
assert.equal(wide.readUInt32LE(from - END64), 0x06064b50);
assert.equal(wide.readUInt32LE(CENTRAL + 24), 0xffffffff);
assert.deepEqual(await read(half), contents);
assert.deepEqual(await read(wide), contents);

const refused = { /* (change, expected message) */
    'no locator': [(zip) => zip.writeUInt32LE(0, from - LOCATOR), /lacks the end record of that form/],
    'the locator leads beyond the file': [(zip) => zip.writeBigUInt64LE(1n << 40n, from - LOCATOR + 8), /end record .* lies outside/],
    'the locator leads to itself': [(zip) => zip.writeBigUInt64LE(BigInt(from - LOCATOR), from - LOCATOR + 8), /end record .* lies outside/],
    'the locator leads elsewhere': [(zip) => zip.writeBigUInt64LE(0n, from - LOCATOR + 8), /end record .* is damaged/],
    'a number above 2^53': [(zip) => zip.writeBigUInt64LE((1n << 64n) - 1n, from - END64 + 48), /larger than any file/],
    'an end record that is too long': [(zip) => zip.writeBigUInt64LE(45n, from - END64 + 4), /end record .* is damaged/],
    'the directory after the file': [(zip) => zip.writeBigUInt64LE(1n << 33n, from - END64 + 48), /directory lies outside/],
    'a directory that is longer than the file': [(zip) => zip.writeBigUInt64LE(1n << 33n, from - END64 + 40), /directory lies outside/],
    'more files than there are': [(zip) => zip.writeBigUInt64LE(1n << 40n, from - END64 + 32), /directory is damaged/],
    'an entry without its sizes': [(zip) => zip.writeUInt16LE(9, EXTRA), /lacks its sizes of 64 bits/],
    'sizes that are too short': [(zip) => zip.writeUInt16LE(8, EXTRA + 2), /lacks its sizes of 64 bits/],
    'sizes that are longer than their field': [(zip) => zip.writeUInt16LE(500, EXTRA + 2), /lacks its sizes of 64 bits/],
    'packed bytes after the file': [(zip) => zip.writeBigUInt64LE(1n << 34n, EXTRA + 12), /bytes lie outside its zip/],
    'more bytes than stated': [(zip) => zip.writeBigUInt64LE(5n, EXTRA + 4), /unpacks to more than the 5 bytes/],
    'fewer bytes than stated': [(zip) => zip.writeBigUInt64LE(4000n, EXTRA + 4), /unpacks to 3000 bytes/],
};
for (const [name, [write, words]] of Object.entries(refused)) {
    await assert.rejects(read(changed(write)), ({ message }) => words.test(message) || assert.fail(`${name}: ${message}`), name);
}
const large = changed((zip) => zip.writeBigUInt64LE(1n << 40n, EXTRA + 4));
assert.deepEqual((await read(large))[0], ['mod/a.grxla', 'it is larger than 512 MiB']);

/* Cuts at every length, and inverts every byte: the result is a readable error, or files. */
for (let at = 0; at < wide.length; at++) {
    await assert.rejects(read(wide.subarray(0, at)), (error) => error instanceof Error && /^it|^an? |^the /.test(error.message) || assert.fail(`cut at ${at}: ${error.stack}`));
    await read(changed((zip) => zip[at] ^= 0xff)).catch((error) => assert.ok(/^it|^an? |^the /.test(error.message), `byte ${at}: ${error.stack}`));
}
console.log(`ok ${Object.keys(refused).length + 4} zips, ${wide.length} cuts and ${wide.length} bytes turned`);
