/* The picture of the page in the README: node picture.mjs LIGHTLINT.HTML PICTURE.PNG. No test: run it after a change of the layout. */
import { join } from 'node:path';
import { drop, launch, openPage, root } from './browser.mjs';

const [, , html, picture] = process.argv;
if (!picture) {
    console.error('usage: node picture.mjs LIGHTLINT.HTML PICTURE.PNG');
    process.exit(2);
}
const browser = await launch(html), page = await openPage(browser, html, { width: 1080, height: 600 });
await drop(page, ['bad-spot-umbra-order.grxla', 'bad-name-hash-one-letter.grxla', 'bad-lzo-brightness.mrea', 'good-map.rgm'].map((name) => join(root, 'corpus/demo', name)));
await page.click('.findings .row.finding >> nth=1');
await page.click('#tab-bytes');
await page.waitForTimeout(1500);
await page.screenshot({ path: picture });
await browser.close();
