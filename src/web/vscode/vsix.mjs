/* Writes the extension as a .vsix: a zip with the entries that the format requires, and reproducible bytes. */
import { deflateRawSync } from 'node:zlib';

const DAY = 0x21, SYSTEM = 20; /* 1980-01-01, as build times would differ; zip 2.0 */
const LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50; /* APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16 */
const DEFLATED = 8, NAMES_UTF8 = 0x800;

const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let i = 0; i < 8; i++) {
        sum = sum & 1 ? sum >>> 1 ^ 0xedb88320 : sum >>> 1;
    }
    return sum;
});

const crc32 = (bytes) => ~bytes.reduce((sum, byte) => remainders[(sum ^ byte) & 0xff] ^ sum >>> 8, -1) >>> 0;

/* Packs [bytes, value] pairs, little-endian. */
function pack(...numbers) {
    const bytes = Buffer.alloc(numbers.reduce((sum, [size]) => sum + size, 0));
    numbers.reduce((at, [size, value]) => bytes.writeUIntLE(value, at, size), 0);
    return bytes;
}

/* Makes a zip of [[name, bytes]], all deflated. */
export function zip(files) {
    const parts = [], directory = [];
    let offset = 0;
    for (const [name, bytes] of files) {
        const path = Buffer.from(name), packed = deflateRawSync(bytes, { level: 9 });
        const common = [[2, SYSTEM], [2, NAMES_UTF8], [2, DEFLATED], [2, 0], [2, DAY], [4, crc32(bytes)], [4, packed.length], [4, bytes.length], [2, path.length], [2, 0]];
        const local = pack([4, LOCAL], ...common);
        parts.push(local, path, packed);
        directory.push(pack([4, CENTRAL], [2, SYSTEM], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path);
        offset += local.length + path.length + packed.length;
    }
    const central = Buffer.concat(directory), count = files.length;
    return Buffer.concat([...parts, central, pack([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, central.length], [4, offset], [2, 0])]);
}

const types = { css: 'text/css', html: 'text/html', js: 'application/javascript', json: 'application/json', md: 'text/markdown', txt: 'text/plain',
    vsixmanifest: 'text/xml', wasm: 'application/wasm' };

const contentTypes = () => `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries(types)
        .map(([extension, type]) => `<Default Extension=".${extension}" ContentType="${type}"/>`).join('')}</Types>
`;

const escapeXml = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const vsixManifest = ({ name, displayName, description, version, publisher, categories, engines, homepage }) => `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escapeXml(name)}" Version="${escapeXml(version)}" Publisher="${escapeXml(publisher)}"/>
    <DisplayName>${escapeXml(displayName)}</DisplayName>
    <Description xml:space="preserve">${escapeXml(description)}</Description>
    <Categories>${escapeXml(categories.join(','))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escapeXml(engines.vscode)}"/>${homepage ? `
      <Property Id="Microsoft.VisualStudio.Services.Links.Source" Value="${escapeXml(homepage)}"/>` : ''}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;

/* Completes manifest.json with the version of the library, the file extensions that it reads, and the project's home, if
 * it states one. */
export function manifestOf(text, { version, extensions }, homepage) {
    const manifest = JSON.parse(text.replace('@GLOB@', `**/*{${extensions.join(',')}}`));
    const [editor] = manifest.contributes.customEditors;
    editor.selector = extensions.map((extension) => ({ filenamePattern: `*${extension}` }));
    return { version, ...manifest, ...(homepage ? { homepage, repository: homepage } : {}) };
}

/* files: [[name, bytes]] of the extension, without package.json. */
export function vsix(manifest, files) {
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    return zip([['[Content_Types].xml', Buffer.from(contentTypes())], ['extension.vsixmanifest', Buffer.from(vsixManifest(manifest))],
        ['extension/package.json', text], ...files.map(([name, bytes]) => [`extension/${name}`, bytes])]);
}
