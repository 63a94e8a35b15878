import { Workbench, install, configure } from './workbench.mjs';
const [tools, craig, folder] = process.argv.slice(2);
const profile = '/tmp/vsprofile';
await install(tools, profile, ['/tmp/craig.vsix', '/tmp/fake.vsix']);
configure(profile, { 'craig.path': craig });
const bench = await Workbench.open(tools, profile, folder, {scale:1});
const shot = (name) => bench.page.screenshot({ path: `/tmp/shots/${name}.png` });
try {
  await bench.until('ready', async () => {
    const t = await bench.page.locator('.statusbar-item:has-text("Craig")').allInnerTexts();
    return t.length > 0 && (await bench.page.locator('.statusbar-item[aria-label*="Craig is ready"]').count()) > 0;
  }, 90000);
  await shot('1-ready');
  await bench.file('lib/reply.js');
  await bench.command('AI Docs: Explain Selected Code');
  await new Promise(r => setTimeout(r, 4000));
  await shot('2-panel');
  const text = await bench.chat('@craig how are plugins encapsulated?', /given/).catch(String);
  console.log('chat', text);
  await shot('3-chat');
} catch (e) { console.log('ERR', e); await shot('err'); } finally { await bench.close(); }
